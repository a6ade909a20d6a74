/* The files of deploy/crds, for addons_definitions.c. The root's CMakeLists.txt says where
 * they are. Nothing here depends on the processor. */

#define TEXT(name, file)                \
    .globl name, name##_end;            \
    .hidden name, name##_end;           \
    name: .incbin file;                 \
    name##_end: .byte 0

    .section .rodata
TEXT(addons_clusters, "clusters.yaml")
TEXT(addons_sets, "clusterresourcesets.yaml")
TEXT(addons_bindings, "clusterresourcesetbindings.yaml")

    .section .note.GNU-stack, "", %progbits
