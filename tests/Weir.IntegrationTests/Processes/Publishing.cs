using Weir.IntegrationTests.Processes;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

[assembly: TestCollectionOrderer(typeof(PublishingFirst))]

namespace Weir.IntegrationTests.Processes;

/// <summary>Tests that build and publish applications, one after the other: two compilers at once are no faster. Others may run beside them.</summary>
[CollectionDefinition(nameof(Publishing))]
public sealed class Publishing;

/// <summary>These tests take longer than any other collection: they begin first, or the last of them would run beside no others.</summary>
public sealed class PublishingFirst : ITestCollectionOrderer
{
    public IReadOnlyCollection<TTestCollection> OrderTestCollections<TTestCollection>(IReadOnlyCollection<TTestCollection> testCollections)
        where TTestCollection : ITestCollection => [.. testCollections.OrderBy(static one => one.TestCollectionDisplayName != nameof(Publishing))];
}
