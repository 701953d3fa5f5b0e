int sonde_test_plugin;
