using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>Tests that count what this process holds: nothing else runs meanwhile.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
