using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Transport;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Processes;

public class OperationNumbersTests
{
    private static readonly Operation First = Operation("First", 11);
    private static readonly Operation Second = Operation("Second", 0);

    private static readonly Service Service = new()
    {
        Name = "Test",
        TypeName = "Test",
        CreateInstance = static _ => new object(),
        Operations = [First, Second],
    };

    [Fact]
    public void Operations_are_found_by_name_regardless_of_position_and_case()
    {
        Assert.Null(Match(out var numbers, new("Test/Other", 5), new("test/SECOND", 99), new("Test/First", 11)));
        Assert.Equal(2, numbers[First]);
        Assert.Equal(1, numbers[Second]);
    }

    [Fact]
    public void An_operation_the_worker_does_not_serve_is_named() =>
        Assert.Contains("Test/Second", Match(out _, new OperationEntry("Test/First", 11))!.Detail, StringComparison.Ordinal);

    [Fact]
    public void A_signature_that_differs_is_named_where_both_sides_have_one()
    {
        var failure = Match(out _, new("Test/First", 12), new("Test/Second", 12));
        Assert.Contains("Test/First", failure!.Detail, StringComparison.Ordinal);
        Assert.Equal(WeirCodes.CatalogMismatch, failure.Code);
        Assert.Null(Match(out _, new("Test/First", 0), new("Test/Second", 12)));
    }

    [Fact]
    public void An_operation_listed_twice_is_refused() =>
        Assert.Contains("twice", Match(out _, new("Test/First", 11), new("test/first", 11))!.Detail, StringComparison.Ordinal);

    [Fact]
    public void What_the_host_did_not_offer_is_refused()
    {
        Assert.NotNull(Match(new ReadyPayload { Version = 2 }, out _));
        Assert.Contains("did not offer", Match(new ReadyPayload { Capabilities = Capabilities.SharedMemory | Capabilities.Concurrent }, out _)!.Detail, StringComparison.Ordinal);
        Assert.Contains("did not offer", Match(new ReadyPayload { Capabilities = (Capabilities)1 }, out _)!.Detail, StringComparison.Ordinal);
        Assert.Contains("PayloadLimitBytes", Match(new ReadyPayload { MostPayload = 1000 }, out _)!.Detail, StringComparison.Ordinal);
        Assert.Equal(WeirCodes.CatalogMismatch, Match(new ReadyPayload { CatalogIdentity = "App:other" }, out _)!.Code);
    }

    [Fact]
    public void A_worker_that_takes_no_streamed_requests_is_refused_where_an_operation_has_one()
    {
        var import = new Operation
        {
            Name = "Import",
            Verbs = Verbs.Post,
            Placement = Placement.Isolated,
            Pool = "test",
            Signature = 3,
            Parameters = [new("people", "IAsyncEnumerable<Person>", ParameterSource.Items, false)],
            CreateCall = static _ => throw new NotSupportedException(),
        };
        var service = new Service { Name = "People", TypeName = "People", CreateInstance = static _ => new object(), Operations = [import] };
        var ready = new ReadyPayload { CatalogIdentity = "App:this", Operations = [new("People/Import", 3)] };

        var failure = OperationNumbers.Match(Spec(service), Capabilities.RequestStreams, ready, processId: 1, out _);
        Assert.Equal(WeirCodes.CatalogMismatch, failure!.Code);
        Assert.Contains("does not support streamed requests, but people of People/Import is one. Let the operation take a list", failure.Detail, StringComparison.Ordinal);

        var able = new ReadyPayload { CatalogIdentity = "App:this", Capabilities = Capabilities.RequestStreams, Operations = ready.Operations };
        Assert.Null(OperationNumbers.Match(Spec(service), Capabilities.RequestStreams, able, processId: 1, out _));
        Assert.Equal(Capabilities.RequestStreams | Capabilities.CallContext | Capabilities.Stack, Spec(service).Offer(hasSharedMemory: false));
        Assert.Equal(Capabilities.SharedMemory | Capabilities.CallContext | Capabilities.Stack, Spec(Service).Offer(hasSharedMemory: true));
    }

    [Fact]
    public void A_worker_that_takes_no_content_is_refused_where_an_operation_has_some()
    {
        var returning = new Operation { Name = "Draw", Verbs = Verbs.Post, Placement = Placement.Isolated, Pool = "test", Signature = 3, ResultKind = ResultKind.Raw, CreateCall = static _ => throw new NotSupportedException() };
        var service = new Service { Name = "Images", TypeName = "Images", CreateInstance = static _ => new object(), Operations = [returning] };
        var ready = new ReadyPayload { CatalogIdentity = "App:this", Operations = [new("Images/Draw", 3)] };

        var failure = OperationNumbers.Match(Spec(service), Capabilities.Content, ready, processId: 1, out _);
        Assert.Equal(WeirCodes.CatalogMismatch, failure!.Code);
        Assert.Contains("does not support content, but Images/Draw takes or returns a Stream", failure.Detail, StringComparison.Ordinal);

        var able = new ReadyPayload { CatalogIdentity = "App:this", Capabilities = Capabilities.Content, Operations = ready.Operations };
        Assert.Null(OperationNumbers.Match(Spec(service), Capabilities.Content, able, processId: 1, out _));
        Assert.True(Spec(service).Offer(hasSharedMemory: false).HasFlag(Capabilities.Content));
        Assert.False(Spec(Service).Offer(hasSharedMemory: false).HasFlag(Capabilities.Content));
    }

    [Fact]
    public void Callers_are_offered_where_an_operation_takes_them_or_its_worker_is_of_another_language_unless_the_option_says_no()
    {
        var taking = new Operation { Name = "Who", Verbs = Verbs.Post, Placement = Placement.Isolated, Pool = "test", Signature = 3, UsesContext = true, UsesCaller = true, CreateCall = static _ => throw new NotSupportedException() };
        var own = new Service { Name = "Callers", TypeName = "Callers", CreateInstance = static _ => new object(), Operations = [taking] };
        var foreign = new Service { Name = "Other", TypeName = "Other", IsForeign = true, CreateInstance = static _ => new object(), Operations = [Operation("Any", 1)] };
        foreach (var service in new[] { own, foreign })
        {
            Assert.Equal(Capabilities.Caller | Capabilities.ResponseHeads | Capabilities.CallContext | Capabilities.Stack, Spec(service).Offer(hasSharedMemory: false));
            Assert.Equal(Capabilities.ResponseHeads | Capabilities.CallContext | Capabilities.Stack, (Spec(service) with { Options = new PoolOptions { SendsCaller = false } }).Offer(hasSharedMemory: false));
        }
    }

    private static FailedStart? Match(out Dictionary<Operation, int> numbers, params OperationEntry[] entries) =>
        Match(new ReadyPayload { CatalogIdentity = "App:this", Operations = entries }, out numbers);

    private static FailedStart? Match(ReadyPayload ready, out Dictionary<Operation, int> numbers) =>
        OperationNumbers.Match(Spec(Service), Capabilities.SharedMemory, ready, processId: 1, out numbers);

    private static PoolDefinition Spec(Service service) => new()
    {
        Name = "test",
        Options = new PoolOptions(),
        Program = new WorkerProgram("none", [], new Dictionary<string, string>()),
        Launcher = null!,
        Operations = service.Operations,
        CatalogIdentity = "App:this",
        Loggers = NullLoggerFactory.Instance,
        Time = TimeProvider.System,
    };

    private static Operation Operation(string name, ulong signature) => new()
    {
        Name = name,
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        Signature = signature,
        CreateCall = static _ => throw new NotSupportedException(),
    };
}
