// The least module that a Redis loads: it registers its name and nothing else. Compiled by the test that says what the census makes of it.
typedef int (*GetApi)(const char *, void *);

int RedisModule_OnLoad(void *context, void **arguments, int count) {
  GetApi get = (GetApi)((void **)context)[0];
  void (*set_attributes)(void *, const char *, int, int);
  (void)arguments;
  (void)count;
  get("RedisModule_SetModuleAttribs", &set_attributes);
  set_attributes(context, "elsewhere", 1, 1);
  return 0;
}
