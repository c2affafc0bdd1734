using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>Tests that count what this process holds: nothing else runs at the same time.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
