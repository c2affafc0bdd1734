using Xunit;

namespace Weir.Generator.Tests.Twins;

/// <summary>The generated twin describes the same services as the hand-written one.</summary>
public sealed class TwinShapeTests
{
    [Fact]
    public void Operations_are_described_alike() =>
        Assert.Equal(Describe(Output.Catalog.Instance), Describe(GeneratedTwin.Catalog));

    [Fact]
    public void Signatures_differ_from_operation_to_operation()
    {
        var signatures = GeneratedTwin.Catalog.Services.SelectMany(static service => service.Operations).Select(static operation => operation.Signature).ToList();

        Assert.Equal(signatures.Count, signatures.Distinct().Count());
    }

    private static IEnumerable<string> Describe(ServiceCatalog catalog) =>
        from service in catalog.Services
        from operation in service.Operations
        select $"{operation} {operation.Verbs} {operation.Placement} {operation.Pool} {operation.ResultKind} {operation.IsResultNullable} {operation.Flush} "
            + $"{operation.IsSynchronous} {operation.UsesContext} {operation.IgnoresCancellation} {operation.Filters.Count} {string.Join(',', operation.Parameters)} {service.TypeName}";
}
