using Xunit;

namespace Weir.IntegrationTests.Processes;

/// <summary>Tests that build and publish applications, one after the other: two compilers at once are no faster. Others may run beside them.</summary>
[CollectionDefinition(nameof(Publishing))]
public sealed class Publishing;
