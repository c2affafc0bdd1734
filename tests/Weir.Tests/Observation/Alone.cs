namespace Weir.Tests.Observation;

/// <summary>Tests that count what this process uses: nothing else runs at the same time.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
