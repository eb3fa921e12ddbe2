/* A bcryptprimitives.dll with the one function that programs of Rust take from it. Windows has this library, and wine
   before version 9 does not. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 0x40000000 ? 0x40000000 : (ULONG)length;
        if (!RtlGenRandom(bytes, part))
            return FALSE;
        bytes += part;
        length -= part;
    }
    return TRUE;
}
