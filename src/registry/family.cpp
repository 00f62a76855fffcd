#include "registry/family.hpp"

namespace gpubench {

namespace {

std::string version_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

std::optional<std::string> unsupported(const VariantFacts& variant, const DeviceFacts& device) {
  if (variant.device != device.kind)
    return "runs on " + std::string(name(variant.device)) + ", not on " + device.id;
  if (!variant.built) return "this gpubench was built without CUDA";
  const int needed = variant.needs.compute_capability;
  if (needed == 0 || !device.compute_capability) return std::nullopt;
  const int present = *device.compute_capability;
  if (variant.needs.exact_architecture ? present != needed : present < needed)
    return "needs compute capability " + version_text(needed) +
           (variant.needs.exact_architecture ? "" : " or newer") + "; " + device.name + " has " +
           version_text(present);
  return std::nullopt;
}

}  // namespace gpubench
