using System.Text.Json;
using Weir.Generated;
using Weir.IntegrationTests.AspNetCore;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>The services of this assembly behind a real Kestrel, and a generated client of each contract.</summary>
internal static class RemoteHost
{
    internal static Task<WeirHost> StartAsync() => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = ApplicationCatalog.Catalogs,
        Weir = static options => TestPools.StartOnDemand(options),
    });
}

/// <summary>
/// The same through the generated client and HTTP. What differs by design: the message of an exception that is not declared stays on the server, and
/// no exception has the stack trace of the server.
/// </summary>
public sealed class RemoteExecutorTests : ExecutorCompliance
{
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web);

    private WeirHost _host = null!;
    private IRemoteSync _client = null!;

    private protected override string Service => "RemoteSync";

    private protected override bool IsOtherProcess => false;

    private protected override IProbing Probing => new Probing<IRemoteSync>(
        _client,
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _host = await RemoteHost.StartAsync();
        _client = WeirClient.Create<IRemoteSync>(_host.Client);
    }

    public override async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await base.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    public override async Task A_failure_keeps_its_type_and_message()
    {
        var error = await Assert.ThrowsAsync<ProblemException>(() => CallAsync("Fail", """{"message":"broken"}"""));
        Assert.Equal((CallStatus.HandlerFailed, WeirCodes.HandlerFailed, 500), (error.Status, error.Code, error.Problem!.Status));
        Assert.DoesNotContain("broken", error.Message, StringComparison.Ordinal);
    }

    public override async Task A_declared_exception_is_caught_by_its_own_type_and_knows_where_it_was_thrown()
    {
        var error = await Assert.ThrowsAsync<OutOfStockException>(() => CallAsync("Take", """{"count":3}"""));
        Assert.Equal("fewer than 3 are left", error.Message);
    }

    public override async Task A_chosen_status_keeps_its_content_and_headers()
    {
        var error = await Assert.ThrowsAsync<ProblemException>(() => CallAsync("Refuse", """{"statusCode":409}"""));
        Assert.Equal((409, "refused"), (error.Problem!.Status, error.Message));
    }

    // The server believes what a request proves, not what its caller says.
    public override async Task The_caller_of_a_transport_and_of_code_is_known_where_the_operation_runs()
    {
        Assert.Equal("- -; ; ; -", await Probing.WhoAsync(Ann));

        // The proxy of the same contract is inside the application.
        Assert.StartsWith("ann Bearer, device -; admin", await Application.Get<IRemoteSync>().Who(Ann, TestContext.Current.CancellationToken), StringComparison.Ordinal);
        Assert.Equal(NoUser, await Application.Get<IRemoteSync>().Who(ct: TestContext.Current.CancellationToken));
    }

    public override async Task A_batch_gives_each_failure_for_itself()
    {
        var failures = await Probing.FailEach(["a", "b", "c"]).ToListAsync(TestContext.Current.CancellationToken);
        Assert.Equal([0, 1, 2], failures.Select(static one => one.Index).Order());
        Assert.All(failures, static one => Assert.Equal(WeirCodes.HandlerFailed, Assert.IsType<ProblemException>(one.Failure).Code));
        Assert.Equal(3, (await Probing.ForgetEach([1, 2, 3]).ToListAsync(TestContext.Current.CancellationToken)).Count(static one => one.Failure is null));
    }

    private protected override async Task<string> CallAsync(string operation, string arguments = "{}", CancellationToken cancellationToken = default)
    {
        using var document = JsonDocument.Parse(arguments);
        var values = document.RootElement;
        object? result = operation switch
        {
            "Add" => await _client.Add(Value("a").GetInt32(), Value("b").GetInt32(), cancellationToken),
            "Echo" => await _client.Echo(Value("text").GetString()!, cancellationToken),
            "Nothing" => await _client.Nothing(Value("text").GetString(), cancellationToken),
            "Reverse" => await _client.Reverse(Value("data").GetBytesFromBase64(), cancellationToken),
            "Grow" => await _client.Grow(Value("basket").Deserialize<Basket>(Json)!, Value("amount").GetInt32(), cancellationToken),
            "Fail" => await _client.Fail(Value("message").GetString()!, cancellationToken),
            "Take" => await _client.Take(Value("count").GetInt32(), cancellationToken),
            "Refuse" => await _client.Refuse(Value("statusCode").GetInt32(), cancellationToken),
            "ProcessId" => await _client.ProcessId(cancellationToken),
            "Forget" => await ForgetAsync(),
            _ => throw new ArgumentOutOfRangeException(nameof(operation), operation, "The probe has no such operation."),
        };
        return result is "" && operation == "Forget" ? "" : JsonSerializer.Serialize(result, Json);

        JsonElement Value(string name) => values.GetProperty(name);

        async Task<string> ForgetAsync()
        {
            await _client.Forget(cancellationToken);
            return "";
        }
    }
}

/// <summary>Streams through the generated client and HTTP.</summary>
public sealed class RemoteStreamTests : StreamCompliance
{
    private WeirHost _host = null!;

    private protected override string Count => "Count";

    private protected override string CountAndFail => "CountAndFail";

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _host = await RemoteHost.StartAsync();
    }

    public override async ValueTask DisposeAsync()
    {
        await _host.DisposeAsync();
        await base.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    public override async Task A_failure_comes_after_the_items_before_it(int n)
    {
        var pump = new CollectingPump();
        var error = await Assert.ThrowsAsync<ProblemException>(() => StreamAsync(CountAndFail, n, pump));
        Assert.Equal(WeirCodes.HandlerFailed, error.Code);
        Assert.Equal(n, pump.Items.Count);
    }

    private protected override async Task StreamAsync(string path, int n, CollectingPump pump, CancellationTokenSource? leaving = null)
    {
        var client = WeirClient.Create<IRemoteAsync>(_host.Client);
        var token = leaving?.Token ?? default;
        var items = path == Count ? client.Count(n, token) : client.CountAndFail(n, token);
        await using var received = new Received(items.GetAsyncEnumerator(token));
        await pump.PumpAsync(received, token).AsTask().WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    // What a client yields, as a pump of the executors takes it.
    private sealed class Received(IAsyncEnumerator<int> items) : ItemSource
    {
        public override ValueTask<bool> MoveNextAsync() => items.MoveNextAsync();

        public override void WriteCurrent(PayloadWriter output)
        {
            output.BeginJson().WriteNumberValue(items.Current);
            output.EndJson();
        }

        public override ValueTask DisposeAsync() => items.DisposeAsync();
    }
}
