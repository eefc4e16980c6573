/* A library that has the C++ library inside of it, and calls that one's operators; a program that deletes what it made. */
#include <cstdio>
#include <new>

void *made_inside();

#ifdef LIBRARY
void *made_inside() { return ::operator new(24); }
#else
int main() {
    ::operator delete(made_inside());
    puts("all hold");
    return 0;
}
#endif
