/*
 * Volumes of pods.
 *
 * Columns: name, number in protobuf, kind, flags, merge key, type. Names and numbers are those of
 * the published API.
 */
#include "apiserver/types/strategic_types.h"

static const struct strategic_field host_path_volume_source_fields[] = {
    {"path", 1, STRING, REQUIRED, NULL, NULL},
    {"type", 2, STRING, POINTER,  NULL, NULL},
};
TYPE(host_path_volume_source, "HostPathVolumeSource");

static const struct strategic_field empty_dir_volume_source_fields[] = {
    {"medium",    1, STRING,   0,       NULL, NULL},
    {"sizeLimit", 2, QUANTITY, POINTER, NULL, NULL},
};
static TYPE(empty_dir_volume_source, "EmptyDirVolumeSource");

static const struct strategic_field gce_persistent_disk_volume_source_fields[] = {
    {"pdName",    1, STRING, REQUIRED, NULL, NULL},
    {"fsType",    2, STRING, 0,        NULL, NULL},
    {"partition", 3, INT32,  0,        NULL, NULL},
    {"readOnly",  4, BOOL,   0,        NULL, NULL},
};
TYPE(gce_persistent_disk_volume_source, "GCEPersistentDiskVolumeSource");

static const struct strategic_field aws_elastic_block_store_volume_source_fields[] = {
    {"volumeID",  1, STRING, REQUIRED, NULL, NULL},
    {"fsType",    2, STRING, 0,        NULL, NULL},
    {"partition", 3, INT32,  0,        NULL, NULL},
    {"readOnly",  4, BOOL,   0,        NULL, NULL},
};
TYPE(aws_elastic_block_store_volume_source, "AWSElasticBlockStoreVolumeSource");

static const struct strategic_field git_repo_volume_source_fields[] = {
    {"repository", 1, STRING, REQUIRED, NULL, NULL},
    {"revision",   2, STRING, 0,        NULL, NULL},
    {"directory",  3, STRING, 0,        NULL, NULL},
};
static TYPE(git_repo_volume_source, "GitRepoVolumeSource");

static const struct strategic_field secret_volume_source_fields[] = {
    {"secretName",  1, STRING,  0,       NULL, NULL             },
    {"items",       2, MESSAGE, LIST,    NULL, &type_key_to_path},
    {"defaultMode", 3, INT32,   POINTER, NULL, NULL             },
    {"optional",    4, BOOL,    POINTER, NULL, NULL             },
};
static TYPE(secret_volume_source, "SecretVolumeSource");

static const struct strategic_field nfs_volume_source_fields[] = {
    {"server",   1, STRING, REQUIRED, NULL, NULL},
    {"path",     2, STRING, REQUIRED, NULL, NULL},
    {"readOnly", 3, BOOL,   0,        NULL, NULL},
};
TYPE(nfs_volume_source, "NFSVolumeSource");

static const struct strategic_field iscsi_volume_source_fields[] = {
    {"targetPortal",      1,  STRING,  REQUIRED, NULL, NULL                        },
    {"iqn",               2,  STRING,  REQUIRED, NULL, NULL                        },
    {"lun",               3,  INT32,   REQUIRED, NULL, NULL                        },
    {"iscsiInterface",    4,  STRING,  0,        NULL, NULL                        },
    {"fsType",            5,  STRING,  0,        NULL, NULL                        },
    {"readOnly",          6,  BOOL,    0,        NULL, NULL                        },
    {"portals",           7,  STRING,  LIST,     NULL, NULL                        },
    {"chapAuthDiscovery", 8,  BOOL,    0,        NULL, NULL                        },
    {"chapAuthSession",   11, BOOL,    0,        NULL, NULL                        },
    {"secretRef",         10, MESSAGE, POINTER,  NULL, &type_local_object_reference},
    {"initiatorName",     12, STRING,  POINTER,  NULL, NULL                        },
};
static TYPE(iscsi_volume_source, "ISCSIVolumeSource");

static const struct strategic_field glusterfs_volume_source_fields[] = {
    {"endpoints", 1, STRING, REQUIRED, NULL, NULL},
    {"path",      2, STRING, REQUIRED, NULL, NULL},
    {"readOnly",  3, BOOL,   0,        NULL, NULL},
};
static TYPE(glusterfs_volume_source, "GlusterfsVolumeSource");

static const struct strategic_field persistent_volume_claim_volume_source_fields[] = {
    {"claimName", 1, STRING, REQUIRED, NULL, NULL},
    {"readOnly",  2, BOOL,   0,        NULL, NULL},
};
static TYPE(persistent_volume_claim_volume_source, "PersistentVolumeClaimVolumeSource");

static const struct strategic_field rbd_volume_source_fields[] = {
    {"monitors",  1, STRING,  LIST,     NULL, NULL                        },
    {"image",     2, STRING,  REQUIRED, NULL, NULL                        },
    {"fsType",    3, STRING,  0,        NULL, NULL                        },
    {"pool",      4, STRING,  0,        NULL, NULL                        },
    {"user",      5, STRING,  0,        NULL, NULL                        },
    {"keyring",   6, STRING,  0,        NULL, NULL                        },
    {"secretRef", 7, MESSAGE, POINTER,  NULL, &type_local_object_reference},
    {"readOnly",  8, BOOL,    0,        NULL, NULL                        },
};
static TYPE(rbd_volume_source, "RBDVolumeSource");

static const struct strategic_field flex_volume_source_fields[] = {
    {"driver",    1, STRING,  REQUIRED, NULL, NULL                        },
    {"fsType",    2, STRING,  0,        NULL, NULL                        },
    {"secretRef", 3, MESSAGE, POINTER,  NULL, &type_local_object_reference},
    {"readOnly",  4, BOOL,    0,        NULL, NULL                        },
    {"options",   5, STRING,  MAP,      NULL, NULL                        },
};
static TYPE(flex_volume_source, "FlexVolumeSource");

static const struct strategic_field cinder_volume_source_fields[] = {
    {"volumeID",  1, STRING,  REQUIRED, NULL, NULL                        },
    {"fsType",    2, STRING,  0,        NULL, NULL                        },
    {"readOnly",  3, BOOL,    0,        NULL, NULL                        },
    {"secretRef", 4, MESSAGE, POINTER,  NULL, &type_local_object_reference},
};
static TYPE(cinder_volume_source, "CinderVolumeSource");

static const struct strategic_field ceph_fs_volume_source_fields[] = {
    {"monitors",   1, STRING,  LIST,    NULL, NULL                        },
    {"path",       2, STRING,  0,       NULL, NULL                        },
    {"user",       3, STRING,  0,       NULL, NULL                        },
    {"secretFile", 4, STRING,  0,       NULL, NULL                        },
    {"secretRef",  5, MESSAGE, POINTER, NULL, &type_local_object_reference},
    {"readOnly",   6, BOOL,    0,       NULL, NULL                        },
};
static TYPE(ceph_fs_volume_source, "CephFSVolumeSource");

static const struct strategic_field flocker_volume_source_fields[] = {
    {"datasetName", 1, STRING, 0, NULL, NULL},
    {"datasetUUID", 2, STRING, 0, NULL, NULL},
};
TYPE(flocker_volume_source, "FlockerVolumeSource");

static const struct strategic_field downward_api_volume_file_fields[] = {
    {"path",             1, STRING,  REQUIRED, NULL, NULL                         },
    {"fieldRef",         2, MESSAGE, POINTER,  NULL, &type_object_field_selector  },
    {"resourceFieldRef", 3, MESSAGE, POINTER,  NULL, &type_resource_field_selector},
    {"mode",             4, INT32,   POINTER,  NULL, NULL                         },
};
static TYPE(downward_api_volume_file, "DownwardAPIVolumeFile");

static const struct strategic_field downward_api_volume_source_fields[] = {
    {"items",       1, MESSAGE, LIST,    NULL, &type_downward_api_volume_file},
    {"defaultMode", 2, INT32,   POINTER, NULL, NULL                          },
};
static TYPE(downward_api_volume_source, "DownwardAPIVolumeSource");

static const struct strategic_field fc_volume_source_fields[] = {
    {"targetWWNs", 1, STRING, LIST,    NULL, NULL},
    {"lun",        2, INT32,  POINTER, NULL, NULL},
    {"fsType",     3, STRING, 0,       NULL, NULL},
    {"readOnly",   4, BOOL,   0,       NULL, NULL},
    {"wwids",      5, STRING, LIST,    NULL, NULL},
};
TYPE(fc_volume_source, "FCVolumeSource");

static const struct strategic_field azure_file_volume_source_fields[] = {
    {"secretName", 1, STRING, REQUIRED, NULL, NULL},
    {"shareName",  2, STRING, REQUIRED, NULL, NULL},
    {"readOnly",   3, BOOL,   0,        NULL, NULL},
};
static TYPE(azure_file_volume_source, "AzureFileVolumeSource");

static const struct strategic_field config_map_volume_source_fields[] = {
    {"",            1, MESSAGE, INLINE,  NULL, &type_local_object_reference},
    {"items",       2, MESSAGE, LIST,    NULL, &type_key_to_path           },
    {"defaultMode", 3, INT32,   POINTER, NULL, NULL                        },
    {"optional",    4, BOOL,    POINTER, NULL, NULL                        },
};
static TYPE(config_map_volume_source, "ConfigMapVolumeSource");

static const struct strategic_field vsphere_virtual_disk_volume_source_fields[] = {
    {"volumePath",        1, STRING, REQUIRED, NULL, NULL},
    {"fsType",            2, STRING, 0,        NULL, NULL},
    {"storagePolicyName", 3, STRING, 0,        NULL, NULL},
    {"storagePolicyID",   4, STRING, 0,        NULL, NULL},
};
TYPE(vsphere_virtual_disk_volume_source, "VsphereVirtualDiskVolumeSource");

static const struct strategic_field quobyte_volume_source_fields[] = {
    {"registry", 1, STRING, REQUIRED, NULL, NULL},
    {"volume",   2, STRING, REQUIRED, NULL, NULL},
    {"readOnly", 3, BOOL,   0,        NULL, NULL},
    {"user",     4, STRING, 0,        NULL, NULL},
    {"group",    5, STRING, 0,        NULL, NULL},
    {"tenant",   6, STRING, 0,        NULL, NULL},
};
TYPE(quobyte_volume_source, "QuobyteVolumeSource");

static const struct strategic_field azure_disk_volume_source_fields[] = {
    {"diskName",    1, STRING, REQUIRED, NULL, NULL},
    {"diskURI",     2, STRING, REQUIRED, NULL, NULL},
    {"cachingMode", 3, STRING, POINTER,  NULL, NULL},
    {"fsType",      4, STRING, POINTER,  NULL, NULL},
    {"readOnly",    5, BOOL,   POINTER,  NULL, NULL},
    {"kind",        6, STRING, POINTER,  NULL, NULL},
};
TYPE(azure_disk_volume_source, "AzureDiskVolumeSource");

static const struct strategic_field photon_persistent_disk_volume_source_fields[] = {
    {"pdID",   1, STRING, REQUIRED, NULL, NULL},
    {"fsType", 2, STRING, 0,        NULL, NULL},
};
TYPE(photon_persistent_disk_volume_source, "PhotonPersistentDiskVolumeSource");

static const struct strategic_field secret_projection_fields[] = {
    {"",         1, MESSAGE, INLINE,  NULL, &type_local_object_reference},
    {"items",    2, MESSAGE, LIST,    NULL, &type_key_to_path           },
    {"optional", 4, BOOL,    POINTER, NULL, NULL                        },
};
static TYPE(secret_projection, "SecretProjection");

static const struct strategic_field downward_api_projection_fields[] = {
    {"items", 1, MESSAGE, LIST, NULL, &type_downward_api_volume_file},
};
static TYPE(downward_api_projection, "DownwardAPIProjection");

static const struct strategic_field config_map_projection_fields[] = {
    {"",         1, MESSAGE, INLINE,  NULL, &type_local_object_reference},
    {"items",    2, MESSAGE, LIST,    NULL, &type_key_to_path           },
    {"optional", 4, BOOL,    POINTER, NULL, NULL                        },
};
static TYPE(config_map_projection, "ConfigMapProjection");

static const struct strategic_field service_account_token_projection_fields[] = {
    {"audience",          1, STRING, 0,        NULL, NULL},
    {"expirationSeconds", 2, INT64,  POINTER,  NULL, NULL},
    {"path",              3, STRING, REQUIRED, NULL, NULL},
};
static TYPE(service_account_token_projection, "ServiceAccountTokenProjection");

static const struct strategic_field cluster_trust_bundle_projection_fields[] = {
    {"name",          1, STRING,  POINTER,  NULL, NULL                },
    {"signerName",    2, STRING,  POINTER,  NULL, NULL                },
    {"labelSelector", 3, MESSAGE, POINTER,  NULL, &type_label_selector},
    {"optional",      5, BOOL,    POINTER,  NULL, NULL                },
    {"path",          4, STRING,  REQUIRED, NULL, NULL                },
};
static TYPE(cluster_trust_bundle_projection, "ClusterTrustBundleProjection");

static const struct strategic_field pod_certificate_projection_fields[] = {
    {"signerName",           1, STRING, 0,       NULL, NULL},
    {"keyType",              2, STRING, 0,       NULL, NULL},
    {"maxExpirationSeconds", 3, INT32,  POINTER, NULL, NULL},
    {"credentialBundlePath", 4, STRING, 0,       NULL, NULL},
    {"keyPath",              5, STRING, 0,       NULL, NULL},
    {"certificateChainPath", 6, STRING, 0,       NULL, NULL},
    {"userAnnotations",      7, STRING, MAP,     NULL, NULL},
};
static TYPE(pod_certificate_projection, "PodCertificateProjection");

static const struct strategic_field volume_projection_fields[] = {
    {"secret",              1, MESSAGE, POINTER, NULL, &type_secret_projection               },
    {"downwardAPI",         2, MESSAGE, POINTER, NULL, &type_downward_api_projection         },
    {"configMap",           3, MESSAGE, POINTER, NULL, &type_config_map_projection           },
    {"serviceAccountToken", 4, MESSAGE, POINTER, NULL, &type_service_account_token_projection},
    {"clusterTrustBundle",  5, MESSAGE, POINTER, NULL, &type_cluster_trust_bundle_projection },
    {"podCertificate",      6, MESSAGE, POINTER, NULL, &type_pod_certificate_projection      },
};
static TYPE(volume_projection, "VolumeProjection");

static const struct strategic_field projected_volume_source_fields[] = {
    {"sources",     1, MESSAGE, LIST,    NULL, &type_volume_projection},
    {"defaultMode", 2, INT32,   POINTER, NULL, NULL                   },
};
static TYPE(projected_volume_source, "ProjectedVolumeSource");

static const struct strategic_field portworx_volume_source_fields[] = {
    {"volumeID", 1, STRING, REQUIRED, NULL, NULL},
    {"fsType",   2, STRING, 0,        NULL, NULL},
    {"readOnly", 3, BOOL,   0,        NULL, NULL},
};
TYPE(portworx_volume_source, "PortworxVolumeSource");

static const struct strategic_field scale_io_volume_source_fields[] = {
    {"gateway",          1,  STRING,  REQUIRED, NULL, NULL                        },
    {"system",           2,  STRING,  REQUIRED, NULL, NULL                        },
    {"secretRef",        3,  MESSAGE, POINTER,  NULL, &type_local_object_reference},
    {"sslEnabled",       4,  BOOL,    0,        NULL, NULL                        },
    {"protectionDomain", 5,  STRING,  0,        NULL, NULL                        },
    {"storagePool",      6,  STRING,  0,        NULL, NULL                        },
    {"storageMode",      7,  STRING,  0,        NULL, NULL                        },
    {"volumeName",       8,  STRING,  0,        NULL, NULL                        },
    {"fsType",           9,  STRING,  0,        NULL, NULL                        },
    {"readOnly",         10, BOOL,    0,        NULL, NULL                        },
};
static TYPE(scale_io_volume_source, "ScaleIOVolumeSource");

static const struct strategic_field storage_os_volume_source_fields[] = {
    {"volumeName",      1, STRING,  0,       NULL, NULL                        },
    {"volumeNamespace", 2, STRING,  0,       NULL, NULL                        },
    {"fsType",          3, STRING,  0,       NULL, NULL                        },
    {"readOnly",        4, BOOL,    0,       NULL, NULL                        },
    {"secretRef",       5, MESSAGE, POINTER, NULL, &type_local_object_reference},
};
static TYPE(storage_os_volume_source, "StorageOSVolumeSource");

static const struct strategic_field csi_volume_source_fields[] = {
    {"driver",               1, STRING,  REQUIRED, NULL, NULL                        },
    {"readOnly",             2, BOOL,    POINTER,  NULL, NULL                        },
    {"fsType",               3, STRING,  POINTER,  NULL, NULL                        },
    {"volumeAttributes",     4, STRING,  MAP,      NULL, NULL                        },
    {"nodePublishSecretRef", 5, MESSAGE, POINTER,  NULL, &type_local_object_reference},
};
static TYPE(csi_volume_source, "CSIVolumeSource");

static const struct strategic_field volume_resource_requirements_fields[] = {
    {"limits",   1, QUANTITY, MAP, NULL, NULL},
    {"requests", 2, QUANTITY, MAP, NULL, NULL},
};
static TYPE(volume_resource_requirements, "VolumeResourceRequirements");

static const struct strategic_field persistent_volume_claim_spec_fields[] = {
    {"accessModes",               1, STRING,  LIST,    NULL, NULL                              },
    {"selector",                  4, MESSAGE, POINTER, NULL, &type_label_selector              },
    {"resources",                 2, MESSAGE, 0,       NULL, &type_volume_resource_requirements},
    {"volumeName",                3, STRING,  0,       NULL, NULL                              },
    {"storageClassName",          5, STRING,  POINTER, NULL, NULL                              },
    {"volumeMode",                6, STRING,  POINTER, NULL, NULL                              },
    {"dataSource",                7, MESSAGE, POINTER, NULL, &type_typed_local_object_reference},
    {"dataSourceRef",             8, MESSAGE, POINTER, NULL, &type_typed_object_reference      },
    {"volumeAttributesClassName", 9, STRING,  POINTER, NULL, NULL                              },
};
TYPE(persistent_volume_claim_spec, "PersistentVolumeClaimSpec");

static const struct strategic_field persistent_volume_claim_template_fields[] = {
    {"metadata", 1, MESSAGE, 0, NULL, &type_object_meta                 },
    {"spec",     2, MESSAGE, 0, NULL, &type_persistent_volume_claim_spec},
};
static TYPE(persistent_volume_claim_template, "PersistentVolumeClaimTemplate");

static const struct strategic_field ephemeral_volume_source_fields[] = {
    {"volumeClaimTemplate", 1, MESSAGE, POINTER, NULL, &type_persistent_volume_claim_template},
};
static TYPE(ephemeral_volume_source, "EphemeralVolumeSource");

static const struct strategic_field image_volume_source_fields[] = {
    {"reference",  1, STRING, 0, NULL, NULL},
    {"pullPolicy", 2, STRING, 0, NULL, NULL},
};
static TYPE(image_volume_source, "ImageVolumeSource");

static const struct strategic_field volume_source_fields[] = {
    {"hostPath",              1,  MESSAGE, POINTER, NULL, &type_host_path_volume_source           },
    {"emptyDir",              2,  MESSAGE, POINTER, NULL, &type_empty_dir_volume_source           },
    {"gcePersistentDisk",     3,  MESSAGE, POINTER, NULL, &type_gce_persistent_disk_volume_source },
    {"awsElasticBlockStore",  4,  MESSAGE, POINTER, NULL,
     &type_aws_elastic_block_store_volume_source                                                  },
    {"gitRepo",               5,  MESSAGE, POINTER, NULL, &type_git_repo_volume_source            },
    {"secret",                6,  MESSAGE, POINTER, NULL, &type_secret_volume_source              },
    {"nfs",                   7,  MESSAGE, POINTER, NULL, &type_nfs_volume_source                 },
    {"iscsi",                 8,  MESSAGE, POINTER, NULL, &type_iscsi_volume_source               },
    {"glusterfs",             9,  MESSAGE, POINTER, NULL, &type_glusterfs_volume_source           },
    {"persistentVolumeClaim", 10, MESSAGE, POINTER, NULL,
     &type_persistent_volume_claim_volume_source                                                  },
    {"rbd",                   11, MESSAGE, POINTER, NULL, &type_rbd_volume_source                 },
    {"flexVolume",            12, MESSAGE, POINTER, NULL, &type_flex_volume_source                },
    {"cinder",                13, MESSAGE, POINTER, NULL, &type_cinder_volume_source              },
    {"cephfs",                14, MESSAGE, POINTER, NULL, &type_ceph_fs_volume_source             },
    {"flocker",               15, MESSAGE, POINTER, NULL, &type_flocker_volume_source             },
    {"downwardAPI",           16, MESSAGE, POINTER, NULL, &type_downward_api_volume_source        },
    {"fc",                    17, MESSAGE, POINTER, NULL, &type_fc_volume_source                  },
    {"azureFile",             18, MESSAGE, POINTER, NULL, &type_azure_file_volume_source          },
    {"configMap",             19, MESSAGE, POINTER, NULL, &type_config_map_volume_source          },
    {"vsphereVolume",         20, MESSAGE, POINTER, NULL, &type_vsphere_virtual_disk_volume_source},
    {"quobyte",               21, MESSAGE, POINTER, NULL, &type_quobyte_volume_source             },
    {"azureDisk",             22, MESSAGE, POINTER, NULL, &type_azure_disk_volume_source          },
    {"photonPersistentDisk",  23, MESSAGE, POINTER, NULL,
     &type_photon_persistent_disk_volume_source                                                   },
    {"projected",             26, MESSAGE, POINTER, NULL, &type_projected_volume_source           },
    {"portworxVolume",        24, MESSAGE, POINTER, NULL, &type_portworx_volume_source            },
    {"scaleIO",               25, MESSAGE, POINTER, NULL, &type_scale_io_volume_source            },
    {"storageos",             27, MESSAGE, POINTER, NULL, &type_storage_os_volume_source          },
    {"csi",                   28, MESSAGE, POINTER, NULL, &type_csi_volume_source                 },
    {"ephemeral",             29, MESSAGE, POINTER, NULL, &type_ephemeral_volume_source           },
    {"image",                 30, MESSAGE, POINTER, NULL, &type_image_volume_source               },
};
static TYPE(volume_source, "VolumeSource");

static const struct strategic_field volume_fields[] = {
    {"name", 1, STRING,  REQUIRED, NULL, NULL               },
    {"",     2, MESSAGE, INLINE,   NULL, &type_volume_source},
};
TYPE(volume, "Volume");

static const struct strategic_field volume_mount_fields[] = {
    {"name",              1, STRING, REQUIRED, NULL, NULL},
    {"readOnly",          2, BOOL,   0,        NULL, NULL},
    {"recursiveReadOnly", 7, STRING, POINTER,  NULL, NULL},
    {"mountPath",         3, STRING, REQUIRED, NULL, NULL},
    {"subPath",           4, STRING, 0,        NULL, NULL},
    {"mountPropagation",  5, STRING, POINTER,  NULL, NULL},
    {"subPathExpr",       6, STRING, 0,        NULL, NULL},
};
TYPE(volume_mount, "VolumeMount");

static const struct strategic_field volume_device_fields[] = {
    {"name",       1, STRING, REQUIRED, NULL, NULL},
    {"devicePath", 2, STRING, REQUIRED, NULL, NULL},
};
TYPE(volume_device, "VolumeDevice");

static const struct strategic_field image_volume_status_fields[] = {
    {"imageRef", 1, STRING, 0, NULL, NULL},
};
static TYPE(image_volume_status, "ImageVolumeStatus");

static const struct strategic_field volume_status_fields[] = {
    {"image", 1, MESSAGE, POINTER, NULL, &type_image_volume_status},
};
static TYPE(volume_status, "VolumeStatus");

static const struct strategic_field volume_mount_status_fields[] = {
    {"name",              1, STRING,  REQUIRED, NULL, NULL               },
    {"mountPath",         2, STRING,  REQUIRED, NULL, NULL               },
    {"readOnly",          3, BOOL,    0,        NULL, NULL               },
    {"recursiveReadOnly", 4, STRING,  POINTER,  NULL, NULL               },
    {"volumeStatus",      5, MESSAGE, POINTER,  NULL, &type_volume_status},
};
TYPE(volume_mount_status, "VolumeMountStatus");
