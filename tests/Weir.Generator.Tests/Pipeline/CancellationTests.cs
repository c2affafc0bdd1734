using Microsoft.CodeAnalysis;
using Weir.Generator.Parsing.Services;
using Weir.Generator.Parsing.Types;
using Weir.Generator.Tests.Behaviour;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Pipeline;

/// <summary>The compiler cancels a run when the source was edited again: parsing must stop between two members.</summary>
public sealed class CancellationTests
{
    private static readonly CancellationToken Cancelled = new(canceled: true);

    private static readonly Compilation Compilation = Driver.Library(SampleServices.Source);

    [Fact]
    public void Parsing_a_class_stops() =>
        Assert.Throws<OperationCanceledException>(static () => ServiceParser.Parse(Compilation, Named("Weather"), Cancelled));

    [Fact]
    public void Parsing_an_interface_stops() =>
        Assert.Throws<OperationCanceledException>(static () => ContractCheck.Run(Compilation, Named("IHasher"), Cancelled));

    [Fact]
    public void Parsing_a_type_stops_at_its_next_member()
    {
        using var source = new CancellationTokenSource();
        var values = new ValueParser(Compilation, source.Token);
        Assert.NotNull(values.Parse(Named("Forecast"), out _));

        source.Cancel();

        Assert.Throws<OperationCanceledException>(() => values.Parse(Named("Order"), out _));
    }

    private static INamedTypeSymbol Named(string name) => Compilation.GetTypeByMetadataName("Weir.Generator.Tests.Behaviour." + name)!;
}
