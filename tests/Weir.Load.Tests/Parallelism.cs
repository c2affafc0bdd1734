// Most of these tests wait for real time to pass: more of them at once than there are processors.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
