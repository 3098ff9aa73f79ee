/* SPDX-License-Identifier: Apache-2.0 */
/* Build selectors: target, mode, core kind, and the keywords of device compilers, which mean nothing here
 * (00-model, 16.1). */
#ifndef PTO_COMMON_ARCH_MACRO_HPP
#define PTO_COMMON_ARCH_MACRO_HPP

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "<pto/pto-inst.hpp> needs C++17 or newer; C kernels include <pto/pto-inst.h>"
#endif

/* This is always a host build. */
#ifndef __CPU_SIM
#define __CPU_SIM
#endif

/* Target: cpu (permissive) without __NPU_ARCH__. */
#ifdef __NPU_ARCH__
#if __NPU_ARCH__ == 2201
#define PTO_NPU_ARCH_A2A3
#elif __NPU_ARCH__ == 3101 || __NPU_ARCH__ == 3510
#define PTO_NPU_ARCH_A5
#if __NPU_ARCH__ == 3510
#define PTO_URMA_SUPPORTED
#endif
#elif __NPU_ARCH__ == 3113 || __NPU_ARCH__ == 3003 || __NPU_ARCH__ == 5101 || __NPU_ARCH__ == 9201
#error "libpto runs a2a3 (__NPU_ARCH__ 2201), a5 (3101, 3510) and cpu (undefined), not this target"
#else
#error "__NPU_ARCH__ is none of 2201 (a2a3), 3101 and 3510 (a5)"
#endif
#endif

/* One inline namespace a build mode: units of different targets may be linked together. */
#if defined(PTO_NPU_ARCH_A2A3)
#define PTO_TARGET_NAMESPACE_STEM a2a3
#elif defined(PTO_NPU_ARCH_A5)
#define PTO_TARGET_NAMESPACE_STEM a5
#else
#define PTO_TARGET_NAMESPACE_STEM cpu
#endif
#ifdef __PTO_AUTO__
#define PTO_TARGET_NAMESPACE_MODE _auto
#else
#define PTO_TARGET_NAMESPACE_MODE _manual
#endif
#define PTO_PASTE_AGAIN(a, b) a##b
#define PTO_PASTE(a, b) PTO_PASTE_AGAIN(a, b)
#define PTO_NAMESPACE_BEGIN                                                                                  \
    namespace pto {                                                                                          \
    inline namespace PTO_PASTE(PTO_TARGET_NAMESPACE_STEM, PTO_TARGET_NAMESPACE_MODE) {
#define PTO_NAMESPACE_END                                                                                    \
    }                                                                                                        \
    }

/* A thread is the cube and a vector core unless the build names one of them (00-model, 12). */
#if !defined(__DAV_CUBE__) && !defined(__DAV_VEC__)
#define __DAV_CUBE__
#define __DAV_VEC__
#endif

#ifndef AICORE
#define AICORE
#endif
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __cbuf__
#define __cbuf__
#endif
#ifndef __ca__
#define __ca__
#endif
#ifndef __cb__
#define __cb__
#endif
#ifndef __cc__
#define __cc__
#endif
#ifndef __fbuf__
#define __fbuf__
#endif
#ifndef __biasbuf__
#define __biasbuf__
#endif
#ifndef __in__
#define __in__
#endif
#ifndef __out__
#define __out__
#endif
#ifndef __tf__
#define __tf__
#endif

#define PTO_INLINE inline __attribute__((always_inline))
#define PTO_INTERNAL AICORE PTO_INLINE
/* Not always_inline: a call is one out-of-line function a combination of operand types. */
#define PTO_INST AICORE inline __attribute__((visibility("default")))
#define OP_NAME(x)
#define OP_TYPE(x)
#define PTO_SYNCALL_AIV_KERNEL_META(name)
#define PTO_SYNCALL_AIC_KERNEL_META(name)
#define PTO_SYNCALL_MIX_AIC_KERNEL_META(name, aic_ratio, aiv_ratio)

#define PTO_TEMPLATE_ARGS(...) __VA_ARGS__
#define MAP_INSTR_IMPL(name, ...) name(__VA_ARGS__)
#define PTO_INSTR_SCOPE(name)

#define F16_MAX 65504.0f

#endif
