#!/usr/bin/env bash
# stepccl_sched says what it should, and what is wrong with its arguments. Run in the build folder.
set -u
failed=0 passed=0

# says CODE TEXT ARGUMENT...: the exit code, and a text that must be among what is said.
says() {
    local code=$1 text=$2 said status
    shift 2
    said=$(./stepccl_sched "$@" 2>&1)
    status=$?
    if [ $status -eq "$code" ] && [[ $said == *"$text"* ]]; then
        passed=$((passed + 1))
        return
    fi
    printf 'stepccl_sched %s: exit code %s, not %s, and it said:\n%s\n' "$*" "$status" "$code" "$said"
    failed=$((failed + 1))
}

says 0 "Usage:" --help
says 0 "stepccl_sched (StepCCL) " --version
says 0 "blocks travel round the ring" list
says 0 "allgather ring n=3 rank=1 blocks=3" print allgather ring --n 3 --rank 1
says 0 "copy   out[1]@2 <- in[1]@1" print allgather ring --n 3 --rank 1
says 0 "in-place" print allreduce ring --n 4 --in-place --parts 2
says 0 "allgather direct n=3" diff allgather direct direct --n 3
says 1 "+ allgather ring n=3" diff allgather direct ring --n 3
says 0 "total" verify --all --max-n 4
says 0 "36 cases" verify gather --n 9 --parts 1,2
says 0 '"findings": 0' verify allreduce --n 5 --json
says 0 "the verifier caught" mutate --count 20 --runs 20 --seed 3
says 2 "no command" # without arguments
says 2 "did you mean 'verify'?" verfy
says 2 "did you mean --all?" verify --al
says 2 "did you mean 'allreduce'?" print allredcue ring --n 4
says 2 "did you mean 'ring'?" print allreduce rng --n 4
says 2 "print needs --n" print allreduce ring
says 2 "--n takes a number from 1 on, not '-1'" print allreduce ring --n -1
says 2 "--n takes a number from 1 on, not '4294967296'" print allreduce ring --n 4294967296
says 2 "--rank must be below --n, which is 4" print allreduce ring --n 4 --rank 4
says 2 "--root must be below --n, which is 4" print bcast direct --n 4 --root 4
says 2 "--parts takes numbers" verify --all --parts 1,x
says 2 "takes one number of parts" print allreduce ring --n 4 --parts 1,2
says 2 "verify takes no --rank" verify --all --rank 1
says 2 "give --n or --max-n" verify --all --n 3 --max-n 4
says 2 "give what to verify, or --all" verify --n 3
says 2 "usage: stepccl_sched diff KIND ALGORITHM ALGORITHM" diff allreduce ring --n 4
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
