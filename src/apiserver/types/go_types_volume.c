/*
 * Volumes of pods.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/go_types.h"

static const struct go_field host_path_volume_source_fields[] = {
    {"path", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"type", 2, GO_STRING, GO_POINTER,  NULL, NULL},
};
TYPE(host_path_volume_source, "HostPathVolumeSource");

static const struct go_field empty_dir_volume_source_fields[] = {
    {"medium",    1, GO_STRING,   0,          NULL, NULL},
    {"sizeLimit", 2, GO_QUANTITY, GO_POINTER, NULL, NULL},
};
static TYPE(empty_dir_volume_source, "EmptyDirVolumeSource");

static const struct go_field gce_persistent_disk_volume_source_fields[] = {
    {"pdName",    1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType",    2, GO_STRING, 0,           NULL, NULL},
    {"partition", 3, GO_INT32,  0,           NULL, NULL},
    {"readOnly",  4, GO_BOOL,   0,           NULL, NULL},
};
TYPE(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource");

static const struct go_field aws_elastic_block_store_volume_source_fields[] = {
    {"volumeID",  1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType",    2, GO_STRING, 0,           NULL, NULL},
    {"partition", 3, GO_INT32,  0,           NULL, NULL},
    {"readOnly",  4, GO_BOOL,   0,           NULL, NULL},
};
TYPE(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource");

static const struct go_field git_repo_volume_source_fields[] = {
    {"repository", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"revision",   2, GO_STRING, 0,           NULL, NULL},
    {"directory",  3, GO_STRING, 0,           NULL, NULL},
};
static TYPE(git_repo_volume_source, "GitRepoVolumeSource");

static const struct go_field secret_volume_source_fields[] = {
    {"secretName",  1, GO_STRING,  0,          NULL, NULL             },
    {"items",       2, GO_MESSAGE, GO_LIST,    NULL, &type_key_to_path},
    {"defaultMode", 3, GO_INT32,   GO_POINTER, NULL, NULL             },
    {"optional",    4, GO_BOOL,    GO_POINTER, NULL, NULL             },
};
static TYPE(secret_volume_source, "SecretVolumeSource");

static const struct go_field nfs_volume_source_fields[] = {
    {"server",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",     2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly", 3, GO_BOOL,   0,           NULL, NULL},
};
TYPE(nfs_volume_source, "NFSVolumeSource");

static const struct go_field iscsi_volume_source_fields[] = {
    {"targetPortal",      1,  GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"iqn",               2,  GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"lun",               3,  GO_INT32,   GO_REQUIRED, NULL, NULL                        },
    {"iscsiInterface",    4,  GO_STRING,  0,           NULL, NULL                        },
    {"fsType",            5,  GO_STRING,  0,           NULL, NULL                        },
    {"readOnly",          6,  GO_BOOL,    0,           NULL, NULL                        },
    {"portals",           7,  GO_STRING,  GO_LIST,     NULL, NULL                        },
    {"chapAuthDiscovery", 8,  GO_BOOL,    0,           NULL, NULL                        },
    {"chapAuthSession",   11, GO_BOOL,    0,           NULL, NULL                        },
    {"secretRef",         10, GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
    {"initiatorName",     12, GO_STRING,  GO_POINTER,  NULL, NULL                        },
};
static TYPE(iscsi_volume_source, "ISCSIVolumeSource");

static const struct go_field glusterfs_volume_source_fields[] = {
    {"endpoints", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"path",      2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",  3, GO_BOOL,   0,           NULL, NULL},
};
static TYPE(glusterfs_volume_source, "GlusterfsVolumeSource");

static const struct go_field persistent_volume_claim_volume_source_fields[] = {
    {"claimName", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",  2, GO_BOOL,   0,           NULL, NULL},
};
static TYPE(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource");

static const struct go_field rbd_volume_source_fields[] = {
    {"monitors",  1, GO_STRING,  GO_LIST,     NULL, NULL                        },
    {"image",     2, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"fsType",    3, GO_STRING,  0,           NULL, NULL                        },
    {"pool",      4, GO_STRING,  0,           NULL, NULL                        },
    {"user",      5, GO_STRING,  0,           NULL, NULL                        },
    {"keyring",   6, GO_STRING,  0,           NULL, NULL                        },
    {"secretRef", 7, GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
    {"readOnly",  8, GO_BOOL,    0,           NULL, NULL                        },
};
static TYPE(rbd_volume_source, "RBDVolumeSource");

static const struct go_field flex_volume_source_fields[] = {
    {"driver",    1, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"fsType",    2, GO_STRING,  0,           NULL, NULL                        },
    {"secretRef", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
    {"readOnly",  4, GO_BOOL,    0,           NULL, NULL                        },
    {"options",   5, GO_STRING,  GO_MAP,      NULL, NULL                        },
};
static TYPE(flex_volume_source, "FlexVolumeSource");

static const struct go_field cinder_volume_source_fields[] = {
    {"volumeID",  1, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"fsType",    2, GO_STRING,  0,           NULL, NULL                        },
    {"readOnly",  3, GO_BOOL,    0,           NULL, NULL                        },
    {"secretRef", 4, GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
};
static TYPE(cinder_volume_source, "CinderVolumeSource");

static const struct go_field ceph_fs_volume_source_fields[] = {
    {"monitors",   1, GO_STRING,  GO_LIST,    NULL, NULL                        },
    {"path",       2, GO_STRING,  0,          NULL, NULL                        },
    {"user",       3, GO_STRING,  0,          NULL, NULL                        },
    {"secretFile", 4, GO_STRING,  0,          NULL, NULL                        },
    {"secretRef",  5, GO_MESSAGE, GO_POINTER, NULL, &type_local_object_reference},
    {"readOnly",   6, GO_BOOL,    0,          NULL, NULL                        },
};
static TYPE(ceph_fs_volume_source, "CephFSVolumeSource");

static const struct go_field flocker_volume_source_fields[] = {
    {"datasetName", 1, GO_STRING, 0, NULL, NULL},
    {"datasetUUID", 2, GO_STRING, 0, NULL, NULL},
};
TYPE(flocker_volume_source, "FlockerVolumeSource");

static const struct go_field downward_api_volume_file_fields[] = {
    {"path",             1, GO_STRING,  GO_REQUIRED, NULL, NULL                         },
    {"fieldRef",         2, GO_MESSAGE, GO_POINTER,  NULL, &type_object_field_selector  },
    {"resourceFieldRef", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_resource_field_selector},
    {"mode",             4, GO_INT32,   GO_POINTER,  NULL, NULL                         },
};
static TYPE(downward_api_volume_file, "DownwardAPIVolumeFile");

static const struct go_field downward_api_volume_source_fields[] = {
    {"items",       1, GO_MESSAGE, GO_LIST,    NULL, &type_downward_api_volume_file},
    {"defaultMode", 2, GO_INT32,   GO_POINTER, NULL, NULL                          },
};
static TYPE(downward_api_volume_source, "DownwardAPIVolumeSource");

static const struct go_field fc_volume_source_fields[] = {
    {"targetWWNs", 1, GO_STRING, GO_LIST,    NULL, NULL},
    {"lun",        2, GO_INT32,  GO_POINTER, NULL, NULL},
    {"fsType",     3, GO_STRING, 0,          NULL, NULL},
    {"readOnly",   4, GO_BOOL,   0,          NULL, NULL},
    {"wwids",      5, GO_STRING, GO_LIST,    NULL, NULL},
};
TYPE(fc_volume_source, "FCVolumeSource");

static const struct go_field azure_file_volume_source_fields[] = {
    {"secretName", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"shareName",  2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",   3, GO_BOOL,   0,           NULL, NULL},
};
static TYPE(azure_file_volume_source, "AzureFileVolumeSource");

static const struct go_field config_map_volume_source_fields[] = {
    {"",            1, GO_MESSAGE, GO_INLINE,  NULL, &type_local_object_reference},
    {"items",       2, GO_MESSAGE, GO_LIST,    NULL, &type_key_to_path           },
    {"defaultMode", 3, GO_INT32,   GO_POINTER, NULL, NULL                        },
    {"optional",    4, GO_BOOL,    GO_POINTER, NULL, NULL                        },
};
static TYPE(config_map_volume_source, "ConfigMapVolumeSource");

static const struct go_field vsphere_virtual_disk_volume_source_fields[] = {
    {"volumePath",        1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType",            2, GO_STRING, 0,           NULL, NULL},
    {"storagePolicyName", 3, GO_STRING, 0,           NULL, NULL},
    {"storagePolicyID",   4, GO_STRING, 0,           NULL, NULL},
};
TYPE(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource");

static const struct go_field quobyte_volume_source_fields[] = {
    {"registry", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"volume",   2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly", 3, GO_BOOL,   0,           NULL, NULL},
    {"user",     4, GO_STRING, 0,           NULL, NULL},
    {"group",    5, GO_STRING, 0,           NULL, NULL},
    {"tenant",   6, GO_STRING, 0,           NULL, NULL},
};
TYPE(quobyte_volume_source, "QuobyteVolumeSource");

static const struct go_field azure_disk_volume_source_fields[] = {
    {"diskName",    1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"diskURI",     2, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"cachingMode", 3, GO_STRING, GO_POINTER,  NULL, NULL},
    {"fsType",      4, GO_STRING, GO_POINTER,  NULL, NULL},
    {"readOnly",    5, GO_BOOL,   GO_POINTER,  NULL, NULL},
    {"kind",        6, GO_STRING, GO_POINTER,  NULL, NULL},
};
TYPE(azure_disk_volume_source, "AzureDiskVolumeSource");

static const struct go_field photon_persistent_disk_volume_source_fields[] = {
    {"pdID",   1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType", 2, GO_STRING, 0,           NULL, NULL},
};
TYPE(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource");

static const struct go_field secret_projection_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,  NULL, &type_local_object_reference},
    {"items",    2, GO_MESSAGE, GO_LIST,    NULL, &type_key_to_path           },
    {"optional", 4, GO_BOOL,    GO_POINTER, NULL, NULL                        },
};
static TYPE(secret_projection, "SecretProjection");

static const struct go_field downward_api_projection_fields[] = {
    {"items", 1, GO_MESSAGE, GO_LIST, NULL, &type_downward_api_volume_file},
};
static TYPE(downward_api_projection, "DownwardAPIProjection");

static const struct go_field config_map_projection_fields[] = {
    {"",         1, GO_MESSAGE, GO_INLINE,  NULL, &type_local_object_reference},
    {"items",    2, GO_MESSAGE, GO_LIST,    NULL, &type_key_to_path           },
    {"optional", 4, GO_BOOL,    GO_POINTER, NULL, NULL                        },
};
static TYPE(config_map_projection, "ConfigMapProjection");

static const struct go_field service_account_token_projection_fields[] = {
    {"audience",          1, GO_STRING, 0,           NULL, NULL},
    {"expirationSeconds", 2, GO_INT64,  GO_POINTER,  NULL, NULL},
    {"path",              3, GO_STRING, GO_REQUIRED, NULL, NULL},
};
static TYPE(service_account_token_projection, "ServiceAccountTokenProjection");

static const struct go_field cluster_trust_bundle_projection_fields[] = {
    {"name",          1, GO_STRING,  GO_POINTER,  NULL, NULL                },
    {"signerName",    2, GO_STRING,  GO_POINTER,  NULL, NULL                },
    {"labelSelector", 3, GO_MESSAGE, GO_POINTER,  NULL, &type_label_selector},
    {"optional",      5, GO_BOOL,    GO_POINTER,  NULL, NULL                },
    {"path",          4, GO_STRING,  GO_REQUIRED, NULL, NULL                },
};
static TYPE(cluster_trust_bundle_projection, "ClusterTrustBundleProjection");

static const struct go_field pod_certificate_projection_fields[] = {
    {"signerName",           1, GO_STRING, 0,          NULL, NULL},
    {"keyType",              2, GO_STRING, 0,          NULL, NULL},
    {"maxExpirationSeconds", 3, GO_INT32,  GO_POINTER, NULL, NULL},
    {"credentialBundlePath", 4, GO_STRING, 0,          NULL, NULL},
    {"keyPath",              5, GO_STRING, 0,          NULL, NULL},
    {"certificateChainPath", 6, GO_STRING, 0,          NULL, NULL},
    {"userAnnotations",      7, GO_STRING, GO_MAP,     NULL, NULL},
};
static TYPE(pod_certificate_projection, "PodCertificateProjection");

static const struct go_field volume_projection_fields[] = {
    {"secret",              1, GO_MESSAGE, GO_POINTER, NULL, &type_secret_projection              },
    {"downwardAPI",         2, GO_MESSAGE, GO_POINTER, NULL, &type_downward_api_projection        },
    {"configMap",           3, GO_MESSAGE, GO_POINTER, NULL, &type_config_map_projection          },
    {"serviceAccountToken", 4, GO_MESSAGE, GO_POINTER, NULL,
     &type_service_account_token_projection                                                       },
    {"clusterTrustBundle",  5, GO_MESSAGE, GO_POINTER, NULL, &type_cluster_trust_bundle_projection},
    {"podCertificate",      6, GO_MESSAGE, GO_POINTER, NULL, &type_pod_certificate_projection     },
};
static TYPE(volume_projection, "VolumeProjection");

static const struct go_field projected_volume_source_fields[] = {
    {"sources",     1, GO_MESSAGE, GO_LIST,    NULL, &type_volume_projection},
    {"defaultMode", 2, GO_INT32,   GO_POINTER, NULL, NULL                   },
};
static TYPE(projected_volume_source, "ProjectedVolumeSource");

static const struct go_field portworx_volume_source_fields[] = {
    {"volumeID", 1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"fsType",   2, GO_STRING, 0,           NULL, NULL},
    {"readOnly", 3, GO_BOOL,   0,           NULL, NULL},
};
TYPE(portworx_volume_source, "PortworxVolumeSource");

static const struct go_field scale_io_volume_source_fields[] = {
    {"gateway",          1,  GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"system",           2,  GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"secretRef",        3,  GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
    {"sslEnabled",       4,  GO_BOOL,    0,           NULL, NULL                        },
    {"protectionDomain", 5,  GO_STRING,  0,           NULL, NULL                        },
    {"storagePool",      6,  GO_STRING,  0,           NULL, NULL                        },
    {"storageMode",      7,  GO_STRING,  0,           NULL, NULL                        },
    {"volumeName",       8,  GO_STRING,  0,           NULL, NULL                        },
    {"fsType",           9,  GO_STRING,  0,           NULL, NULL                        },
    {"readOnly",         10, GO_BOOL,    0,           NULL, NULL                        },
};
static TYPE(scale_io_volume_source, "ScaleIOVolumeSource");

static const struct go_field storage_os_volume_source_fields[] = {
    {"volumeName",      1, GO_STRING,  0,          NULL, NULL                        },
    {"volumeNamespace", 2, GO_STRING,  0,          NULL, NULL                        },
    {"fsType",          3, GO_STRING,  0,          NULL, NULL                        },
    {"readOnly",        4, GO_BOOL,    0,          NULL, NULL                        },
    {"secretRef",       5, GO_MESSAGE, GO_POINTER, NULL, &type_local_object_reference},
};
static TYPE(storage_os_volume_source, "StorageOSVolumeSource");

static const struct go_field csi_volume_source_fields[] = {
    {"driver",               1, GO_STRING,  GO_REQUIRED, NULL, NULL                        },
    {"readOnly",             2, GO_BOOL,    GO_POINTER,  NULL, NULL                        },
    {"fsType",               3, GO_STRING,  GO_POINTER,  NULL, NULL                        },
    {"volumeAttributes",     4, GO_STRING,  GO_MAP,      NULL, NULL                        },
    {"nodePublishSecretRef", 5, GO_MESSAGE, GO_POINTER,  NULL, &type_local_object_reference},
};
static TYPE(csi_volume_source, "CSIVolumeSource");

static const struct go_field volume_resource_requirements_fields[] = {
    {"limits",   1, GO_QUANTITY, GO_MAP, NULL, NULL},
    {"requests", 2, GO_QUANTITY, GO_MAP, NULL, NULL},
};
static TYPE(volume_resource_requirements, "VolumeResourceRequirements");

static const struct go_field persistent_volume_claim_spec_fields[] = {
    {"accessModes",               1, GO_STRING,  GO_LIST,    NULL, NULL                              },
    {"selector",                  4, GO_MESSAGE, GO_POINTER, NULL, &type_label_selector              },
    {"resources",                 2, GO_MESSAGE, 0,          NULL, &type_volume_resource_requirements},
    {"volumeName",                3, GO_STRING,  0,          NULL, NULL                              },
    {"storageClassName",          5, GO_STRING,  GO_POINTER, NULL, NULL                              },
    {"volumeMode",                6, GO_STRING,  GO_POINTER, NULL, NULL                              },
    {"dataSource",                7, GO_MESSAGE, GO_POINTER, NULL, &type_typed_local_object_reference},
    {"dataSourceRef",             8, GO_MESSAGE, GO_POINTER, NULL, &type_typed_object_reference      },
    {"volumeAttributesClassName", 9, GO_STRING,  GO_POINTER, NULL, NULL                              },
};
TYPE(persistent_volume_claim_spec, "PersistentVolumeClaimSpec");

static const struct go_field persistent_volume_claim_template_fields[] = {
    {"metadata", 1, GO_MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",     2, GO_MESSAGE, 0, NULL, &type_persistent_volume_claim_spec},
};
static TYPE(persistent_volume_claim_template, "PersistentVolumeClaimTemplate");

static const struct go_field ephemeral_volume_source_fields[] = {
    {"volumeClaimTemplate", 1, GO_MESSAGE, GO_POINTER, NULL,
     &type_persistent_volume_claim_template},
};
static TYPE(ephemeral_volume_source, "EphemeralVolumeSource");

static const struct go_field image_volume_source_fields[] = {
    {"reference",  1, GO_STRING, 0, NULL, NULL},
    {"pullPolicy", 2, GO_STRING, 0, NULL, NULL},
};
static TYPE(image_volume_source, "ImageVolumeSource");

static const struct go_field volume_source_fields[] = {
    {"hostPath",              1,  GO_MESSAGE, GO_POINTER, NULL, &type_host_path_volume_source           },
    {"emptyDir",              2,  GO_MESSAGE, GO_POINTER, NULL, &type_empty_dir_volume_source           },
    {"gcePersistentDisk",     3,  GO_MESSAGE, GO_POINTER, NULL, &type_gce_persistent_disk_volume_source },
    {"awsElasticBlockStore",  4,  GO_MESSAGE, GO_POINTER, NULL,
     &type_aws_elastic_block_store_volume_source                                                        },
    {"gitRepo",               5,  GO_MESSAGE, GO_POINTER, NULL, &type_git_repo_volume_source            },
    {"secret",                6,  GO_MESSAGE, GO_POINTER, NULL, &type_secret_volume_source              },
    {"nfs",                   7,  GO_MESSAGE, GO_POINTER, NULL, &type_nfs_volume_source                 },
    {"iscsi",                 8,  GO_MESSAGE, GO_POINTER, NULL, &type_iscsi_volume_source               },
    {"glusterfs",             9,  GO_MESSAGE, GO_POINTER, NULL, &type_glusterfs_volume_source           },
    {"persistentVolumeClaim", 10, GO_MESSAGE, GO_POINTER, NULL,
     &type_persistent_volume_claim_volume_source                                                        },
    {"rbd",                   11, GO_MESSAGE, GO_POINTER, NULL, &type_rbd_volume_source                 },
    {"flexVolume",            12, GO_MESSAGE, GO_POINTER, NULL, &type_flex_volume_source                },
    {"cinder",                13, GO_MESSAGE, GO_POINTER, NULL, &type_cinder_volume_source              },
    {"cephfs",                14, GO_MESSAGE, GO_POINTER, NULL, &type_ceph_fs_volume_source             },
    {"flocker",               15, GO_MESSAGE, GO_POINTER, NULL, &type_flocker_volume_source             },
    {"downwardAPI",           16, GO_MESSAGE, GO_POINTER, NULL, &type_downward_api_volume_source        },
    {"fc",                    17, GO_MESSAGE, GO_POINTER, NULL, &type_fc_volume_source                  },
    {"azureFile",             18, GO_MESSAGE, GO_POINTER, NULL, &type_azure_file_volume_source          },
    {"configMap",             19, GO_MESSAGE, GO_POINTER, NULL, &type_config_map_volume_source          },
    {"vsphereVolume",         20, GO_MESSAGE, GO_POINTER, NULL, &type_vsphere_virtual_disk_volume_source},
    {"quobyte",               21, GO_MESSAGE, GO_POINTER, NULL, &type_quobyte_volume_source             },
    {"azureDisk",             22, GO_MESSAGE, GO_POINTER, NULL, &type_azure_disk_volume_source          },
    {"photonPersistentDisk",  23, GO_MESSAGE, GO_POINTER, NULL,
     &type_photon_persistent_disk_volume_source                                                         },
    {"projected",             26, GO_MESSAGE, GO_POINTER, NULL, &type_projected_volume_source           },
    {"portworxVolume",        24, GO_MESSAGE, GO_POINTER, NULL, &type_portworx_volume_source            },
    {"scaleIO",               25, GO_MESSAGE, GO_POINTER, NULL, &type_scale_io_volume_source            },
    {"storageos",             27, GO_MESSAGE, GO_POINTER, NULL, &type_storage_os_volume_source          },
    {"csi",                   28, GO_MESSAGE, GO_POINTER, NULL, &type_csi_volume_source                 },
    {"ephemeral",             29, GO_MESSAGE, GO_POINTER, NULL, &type_ephemeral_volume_source           },
    {"image",                 30, GO_MESSAGE, GO_POINTER, NULL, &type_image_volume_source               },
};
static TYPE(volume_source, "VolumeSource");

static const struct go_field volume_fields[] = {
    {"name", 1, GO_STRING,  GO_REQUIRED, NULL, NULL               },
    {"",     2, GO_MESSAGE, GO_INLINE,   NULL, &type_volume_source},
};
TYPE(volume, "Volume");

static const struct go_field volume_mount_fields[] = {
    {"name",              1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"readOnly",          2, GO_BOOL,   0,           NULL, NULL},
    {"recursiveReadOnly", 7, GO_STRING, GO_POINTER,  NULL, NULL},
    {"mountPath",         3, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"subPath",           4, GO_STRING, 0,           NULL, NULL},
    {"mountPropagation",  5, GO_STRING, GO_POINTER,  NULL, NULL},
    {"subPathExpr",       6, GO_STRING, 0,           NULL, NULL},
};
TYPE(volume_mount, "VolumeMount");

static const struct go_field volume_device_fields[] = {
    {"name",       1, GO_STRING, GO_REQUIRED, NULL, NULL},
    {"devicePath", 2, GO_STRING, GO_REQUIRED, NULL, NULL},
};
TYPE(volume_device, "VolumeDevice");

static const struct go_field image_volume_status_fields[] = {
    {"imageRef", 1, GO_STRING, 0, NULL, NULL},
};
static TYPE(image_volume_status, "ImageVolumeStatus");

static const struct go_field volume_status_fields[] = {
    {"image", 1, GO_MESSAGE, GO_POINTER, NULL, &type_image_volume_status},
};
static TYPE(volume_status, "VolumeStatus");

static const struct go_field volume_mount_status_fields[] = {
    {"name",              1, GO_STRING,  GO_REQUIRED, NULL, NULL               },
    {"mountPath",         2, GO_STRING,  GO_REQUIRED, NULL, NULL               },
    {"readOnly",          3, GO_BOOL,    0,           NULL, NULL               },
    {"recursiveReadOnly", 4, GO_STRING,  GO_POINTER,  NULL, NULL               },
    {"volumeStatus",      5, GO_MESSAGE, GO_POINTER,  NULL, &type_volume_status},
};
TYPE(volume_mount_status, "VolumeMountStatus");
