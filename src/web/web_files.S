/* style.css, live.js and icon.svg, for web_files.c. The root's CMakeLists.txt says where they are. */

    .section .rodata
    .globl web_style_begin, web_style_end, web_script_begin, web_script_end
    .globl web_icon_begin, web_icon_end
    .hidden web_style_begin, web_style_end, web_script_begin, web_script_end
    .hidden web_icon_begin, web_icon_end
web_style_begin:
    .incbin "style.css"
web_style_end:
    .byte 0
web_script_begin:
    .incbin "live.js"
web_script_end:
    .byte 0
web_icon_begin:
    .incbin "icon.svg"
web_icon_end:
    .byte 0

    .section .note.GNU-stack, "", %progbits
