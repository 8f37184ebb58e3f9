/* What a program in C would write: packed vertices of BMD to floats, one after the other. It is a process of its own,
   which is told how many times to do it and answers with the nanoseconds that took. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t word64(const uint8_t *p) { uint64_t w; memcpy(&w, p, 8); return w; }
static uint32_t word32(const uint8_t *p) { uint32_t w; memcpy(&w, p, 4); return w; }
static float bits(uint32_t w) { float f; memcpy(&f, &w, 4); return f; }

static float f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    if (rest >= 0x7c00) return bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400) { float f = rest * (1.0f / 16777216.0f); return sign ? -f : f; }
    return bits(sign | ((rest << 13) + (112u << 23)));
}

static float table[256];

static void se32(uint32_t w, float *to) {
    float scale = bits(((w >> 27) + 105) << 23);
    to[0] = (int32_t)(w << 23) >> 23;
    to[1] = (int32_t)(w << 14) >> 23;
    to[2] = (int32_t)(w << 5) >> 23;
    for (int i = 0; i < 3; i++) to[i] *= scale;
}

static void st11(uint32_t w, float *to) {
    float scale = bits((117 + 2 * (w >> 22 & 3)) << 23);
    to[0] = ((int32_t)(w & 0x7ff) - 512) * scale;
    to[1] = ((int32_t)(w >> 11 & 0x7ff) - 512) * scale;
}

static void st12(uint32_t w, float *to) {
    to[0] = ((int32_t)(w & 0xfff) - 1024) * (1.0f / 2048.0f);
    to[1] = ((int32_t)(w >> 12 & 0xfff) - 1024) * (1.0f / 2048.0f);
}

static void decode(const uint8_t *p, size_t n, float *positions, float *normals, float *sts) {
    for (size_t i = 0; i < n; i++) {
        uint8_t tag = p[7];
        if (tag == 0xfd) {
            for (int k = 0; k < 3; k++) positions[3 * i + k] = f16((uint16_t)(p[2 * k] | p[2 * k + 1] << 8));
            for (int k = 0; k < 3; k++) normals[3 * i + k] = table[p[12 + k]];
            sts[2 * i] = sts[2 * i + 1] = 0;
            p += 16;
        } else {
            se32(word32(p), positions + 3 * i);
            uint32_t st = word64(p) >> 32 & 0xffffff;
            if (tag & 1) st11(st, sts + 2 * i); else st12(st, sts + 2 * i);
            for (int k = 0; k < 3; k++) normals[3 * i + k] = table[p[8 + k]];
            p += 12;
        }
    }
}

int main(void) {
    uint32_t size, n, calls;
    if (fread(table, 4, 256, stdin) != 256 || fread(&size, 4, 1, stdin) != 1 || fread(&n, 4, 1, stdin) != 1) return 1;
    uint8_t *bytes = malloc(size);
    float *positions = malloc(12 * (size_t)n), *normals = malloc(12 * (size_t)n), *sts = malloc(8 * (size_t)n);
    if (fread(bytes, 1, size, stdin) != size) return 1;
    while (fread(&calls, 4, 1, stdin) == 1) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (uint32_t c = 0; c < calls; c++) {
            decode(bytes, n, positions, normals, sts);
            __asm__ volatile("" ::: "memory");
        }
        clock_gettime(CLOCK_MONOTONIC, &b);
        uint64_t took = (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)b.tv_nsec - (uint64_t)a.tv_nsec;
        /* The last vertex shows that the work is the same. */
        float last[8];
        memcpy(last, positions + 3 * (n - 1), 12);
        memcpy(last + 3, normals + 3 * (n - 1), 12);
        memcpy(last + 6, sts + 2 * (n - 1), 8);
        fwrite(&took, 8, 1, stdout);
        fwrite(last, 4, 8, stdout);
        fflush(stdout);
    }
    return 0;
}
