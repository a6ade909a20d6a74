/* examples/cni/cni.yaml, for demo_example.c. The root's CMakeLists.txt says where it is. */

    .section .rodata
    .globl demo_example_begin, demo_example_end
    .hidden demo_example_begin, demo_example_end
demo_example_begin:
    .incbin "cni.yaml"
demo_example_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
