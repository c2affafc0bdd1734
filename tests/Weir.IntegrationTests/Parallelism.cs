using Xunit;

// Most of these tests wait for processes and for real time to pass: more of them at once than there are processors.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
