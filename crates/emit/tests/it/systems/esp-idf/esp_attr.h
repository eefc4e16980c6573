/* A part of the stand-in. */
#ifndef ESP_ATTR_H
#define ESP_ATTR_H

#define EXT_RAM_BSS_ATTR
#define DRAM_ATTR

#endif
