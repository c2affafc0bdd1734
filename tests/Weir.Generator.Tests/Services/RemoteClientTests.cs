using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Which clients are written, and where.</summary>
public sealed class RemoteClientTests
{
    private const string Contract = "namespace Sample { [Weir.Service] public interface ICalled { ValueTask<string> Call(int[] numbers, CancellationToken ct = default); } }";

    [Fact]
    public void A_project_that_references_the_client_gets_clients_of_its_own_contracts()
    {
        var output = Driver.Run(Driver.Compilation("Some.Caller", OutputKind.DynamicallyLinkedLibrary, Driver.Client, Contract));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        Assert.Contains("ServiceClients.Register(typeof(global::Sample.ICalled), static client => new Sample_ICalledClient(client));", output.Text("Clients.g.cs"), StringComparison.Ordinal);
        Assert.Contains("internal sealed class Sample_ICalledClient : global::Sample.ICalled", output.Text("Client.Sample_ICalled.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_project_that_references_the_client_gets_clients_of_referenced_contracts()
    {
        var contracts = Driver.Run(Driver.Library(Contract)).Reference();
        var output = Driver.Run(Driver.Compilation("Some.Caller", OutputKind.DynamicallyLinkedLibrary, Driver.Client.Add(contracts), "class C { }"));
        Assert.Empty(output.Compiled);
        Assert.Contains("typeof(global::Sample.ICalled)", output.Text("Clients.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_contract_of_a_client_says_which_calls_can_be_jobs()
    {
        const string Jobs = "namespace Sample { [Weir.Service] public interface IJobs { [Weir.Job] ValueTask Run(); [Weir.Job(\"named\")] ValueTask Other(); ValueTask Call(); } }";
        var output = Driver.Run(Driver.Compilation("Some.Caller", OutputKind.DynamicallyLinkedLibrary, Driver.Client, Jobs));
        Assert.Empty(output.Compiled);
        var text = output.Text("Client.Sample_IJobs.g.cs").Replace("\\\"", "\"", StringComparison.Ordinal);
        Assert.Contains("\"job\":\"Jobs/Run\"", text, StringComparison.Ordinal);
        Assert.Contains("\"job\":\"named\"", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\"job\":\"Jobs/Call\"", text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("namespace Sample { public interface IPlain { } }")]
    [InlineData("namespace Sample { [Weir.Service(Http = false)] public interface IHidden { ValueTask Call(); } }")]
    [InlineData("namespace Sample { [Weir.Service] public interface IWrong { int Call(); } }")]
    public void Other_interfaces_have_none(string source)
    {
        var output = Driver.Run(Driver.Compilation("Some.Caller", OutputKind.DynamicallyLinkedLibrary, Driver.Client, source));
        Assert.DoesNotContain(output.Result.GeneratedSources, static one => one.HintName.StartsWith("Client", StringComparison.Ordinal));
    }

    [Fact]
    public void A_project_that_does_not_reference_the_client_has_none() =>
        Assert.DoesNotContain(Driver.Run(Driver.Library(Contract)).Result.GeneratedSources, static one => one.HintName.StartsWith("Client", StringComparison.Ordinal));
}
