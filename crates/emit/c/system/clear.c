
static void clear(void *block, size_t bytes)
{
    /* cppcheck-suppress misra-c2012-11.5 ; bytes may be written at any address */
    unsigned char *const contents = (unsigned char *)block;

    for (size_t at = 0U; at < bytes; at++) {
        contents[at] = 0U;
    }
}
