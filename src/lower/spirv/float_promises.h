// What Vulkan promises of arithmetic on floats: the table that a device's profile is made of.
//
// Vulkan by itself leaves rounding, subnormals, NaNs and signed zeros open. A device may advertise modes that
// close some of that, and a module then asks for them. Only what the specification promises under the modes
// that are asked for is used. Source: Vulkan specification, appendix "Precision and Operation of SPIR-V
// Instructions"; VkPhysicalDeviceFloatControlsProperties.
#pragma once

#include "lower/promise.h"

namespace vyre::lower {

/// Of one width of floats: what a device advertises.
struct VulkanFloatModes {
  bool arithmetic = false;       // the type itself: shaderFloat16, shaderFloat64; always true of 32 bits
  bool round_to_even = false;    // shaderRoundingModeRTE
  bool keep_special = false;     // shaderSignedZeroInfNanPreserve
  bool keep_subnormals = false;  // shaderDenormPreserve
  bool operator==(const VulkanFloatModes&) const = default;
};

struct VulkanFloats {
  VulkanFloatModes half, single = {.arithmetic = true}, wide;
  /// Whether widths may have different modes: denormBehaviorIndependence, roundingModeIndependence. Where
  /// they may not, a module asks for the modes of 32 bits alone.
  bool independent = false;
  /// Whether Fma of 32 bits rounds once. The specification leaves it open and no device says; known of
  /// drivers that were measured, and asked of each device by the probe (backend/probe.h), which takes it
  /// back.
  bool fused = false;
  /// Whether sums, differences and products of 32 bits keep subnormals in a module that asks for
  /// round_to_even and keep_special, though no property says so. Known and asked as `fused` is. Fma is none
  /// of them.
  bool keeps_unasked = false;
  bool operator==(const VulkanFloats&) const = default;
};

/// What such a device promises. Without round_to_even and keep_special of 32 bits: nothing.
FloatPromises vulkan_promises(const VulkanFloats& floats);

}  // namespace vyre::lower
