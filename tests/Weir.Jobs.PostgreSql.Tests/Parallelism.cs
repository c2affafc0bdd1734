// Most of the tests wait for a server, for processes or for leases, and none measures how fast something is.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
