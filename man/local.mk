dist_man_MANS += man/stepccl.7 man/stepccl_emu.7
dist_man_MANS += man/stepccl_sched.1
dist_man_MANS += man/stepccl_info.1 man/stepccl_perf.1
