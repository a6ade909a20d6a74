/* The files of deploy/crds, for bundled_crds.c. The root's CMakeLists.txt says where
 * they are. Nothing here depends on the processor. */

#define TEXT(name, file)                \
    .globl name, name##_end;            \
    .hidden name, name##_end;           \
    name: .incbin file;                 \
    name##_end: .byte 0

    .section .rodata
TEXT(bundled_crds_clusters, "clusters.yaml")
TEXT(bundled_crds_sets, "clusterresourcesets.yaml")
TEXT(bundled_crds_bindings, "clusterresourcesetbindings.yaml")
TEXT(bundled_crds_policies, "deliverypolicies.yaml")

    .section .note.GNU-stack, "", %progbits
