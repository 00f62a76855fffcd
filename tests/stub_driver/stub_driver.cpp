// A libcuda.so.1 without a GPU behind it, for tests of what the program says when the driver fails.
// It goes as far as the CUDA runtime asks before cuInit() succeeds; a driver that succeeds has to
// show the runtime private tables, so that failures after that point are tested on a GPU.
//   STUB_DRIVER_VERSION  what cuDriverGetVersion answers: 13000 when unset
//   STUB_DRIVER_INIT     what cuInit answers, a CUresult: 100 (no device) when unset
#include <cstdlib>
#include <cstring>

namespace {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int not_initialised = 3;
constexpr int no_device = 100;

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Stands for every function that needs an initialised driver.
int refuse() {
  return not_initialised;
}

template <class Function>
void* pointer_to(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

extern "C" {

int cuInit(unsigned int) {
  return setting("STUB_DRIVER_INIT", no_device);
}

int cuDriverGetVersion(int* version) {
  *version = setting("STUB_DRIVER_VERSION", 13000);
  return success;
}

int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  return invalid_value;
}

// The runtime looks up everything through this one, some 440 functions.
int cuGetProcAddress_v2(const char* symbol, void** function, int, unsigned long long, int* found) {
  if (std::strcmp(symbol, "cuInit") == 0)
    *function = pointer_to(cuInit);
  else if (std::strcmp(symbol, "cuDriverGetVersion") == 0)
    *function = pointer_to(cuDriverGetVersion);
  else if (std::strcmp(symbol, "cuGetExportTable") == 0)
    *function = pointer_to(cuGetExportTable);
  else if (std::strcmp(symbol, "cuGetProcAddress") == 0)
    *function = pointer_to(cuGetProcAddress_v2);
  else
    *function = pointer_to(refuse);
  if (found) *found = 0;  // CU_GET_PROC_ADDRESS_SUCCESS
  return success;
}
}
