# Prints STEPCCL_KERNEL(type, operation) for every operation that is defined on a type of `bytes` bytes.
# usage: awk -v bytes=N -f rows.awk datatypes.def operations.def
BEGIN { FS = "[(,]" }
/^STEPCCL_DATATYPE\(/ && $4 + 0 == bytes { types[++ntypes] = $2; class[ntypes] = $5; gsub(/ /, "", class[ntypes]) }
/^STEPCCL_OPERATION\(/ {
    n = split($3, classes, /[ |]+/)
    for (t = 1; t <= ntypes; ++t)
        for (c = 1; c <= n; ++c)
            if (classes[c] == class[t]) print "STEPCCL_KERNEL(" types[t] ", " $2 ")"
}
