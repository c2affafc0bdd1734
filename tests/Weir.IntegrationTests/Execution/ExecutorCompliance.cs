using System.Security.Claims;
using System.Text.Json;
using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>
/// What every executor promises about calls with one result; the same operations, placed differently. What differs by
/// design stands in the classes below: only a pool copies, and only a pool runs in another process.
/// </summary>
public abstract class ExecutorCompliance : IAsyncLifetime
{
    private Application _application = null!;

    private protected abstract string Service { get; }

    private protected abstract bool IsOtherProcess { get; }

    private protected Application Application => _application;

    private protected virtual void Configure(WeirOptions options)
    {
    }

    public virtual ValueTask InitializeAsync()
    {
        _application = new Application(Configure);
        return default;
    }

    public virtual async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task A_value_comes_back() => Assert.Equal("42", await CallAsync("Add", """{"a":40,"b":2}"""));

    [Theory]
    [InlineData("\"\"")]
    [InlineData("\"水門 \\\"weir\\\"\"")]
    public async Task Text_comes_back_as_it_went(string text) =>
        Assert.Equal(JsonSerializer.Deserialize<string>(text), JsonSerializer.Deserialize<string>(await CallAsync("Echo", $$"""{"text":{{text}}}""")));

    [Fact]
    public async Task Null_comes_back_as_null() => Assert.Equal("null", await CallAsync("Nothing", """{"text":null}"""));

    [Fact]
    public async Task Bytes_come_back_as_bytes() => Assert.Equal("\"AwIB\"", await CallAsync("Reverse", """{"data":"AQID"}"""));

    [Fact]
    public async Task A_megabyte_comes_back()
    {
        var data = new byte[1 << 20];
        new Random(1).NextBytes(data);
        var reversed = JsonSerializer.Deserialize<byte[]>(await CallAsync("Reverse", $$"""{"data":"{{Convert.ToBase64String(data)}}"}"""));
        Array.Reverse(data);
        Assert.Equal(data, reversed);
    }

    [Fact]
    public async Task Objects_come_back_whole() => Assert.Equal(
        """{"owner":"a","amounts":[1,2,3],"inner":{"owner":"b","amounts":[],"inner":null}}""",
        await CallAsync("Grow", """{"basket":{"owner":"a","amounts":[1,2],"inner":{"owner":"b","amounts":[]}},"amount":3}"""));

    [Fact]
    public async Task A_call_without_a_result_ends() => Assert.Equal("", await CallAsync("Forget"));

    [Fact]
    public virtual async Task A_failure_keeps_its_type_and_message()
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(() => CallAsync("Fail", """{"message":"broken"}"""));

        Assert.Equal("broken", error.Message);
        Assert.Equal(typeof(InvalidOperationException).FullName, error is RemoteException remote ? remote.TypeName : error.GetType().FullName);
        Assert.Equal(IsOtherProcess, error is RemoteException);
    }

    [Fact]
    public virtual async Task A_declared_exception_is_caught_by_its_own_type_and_knows_where_it_was_thrown()
    {
        var error = await Assert.ThrowsAsync<OutOfStockException>(() => CallAsync("Take", """{"count":3}"""));
        Assert.Equal("fewer than 3 are left", error.Message);
        Assert.Contains("Take(Int32 count)", error.StackTrace, StringComparison.Ordinal);

        // Its constructor is a user's code: no thread that reads for other callers runs it.
        Assert.DoesNotMatch(@"^Weir \S+ \d+$", error.MadeOn ?? "");
    }

    [Fact]
    public virtual async Task A_chosen_status_keeps_its_content_and_headers()
    {
        var error = await Assert.ThrowsAsync<OperationStatusException>(() => CallAsync("Refuse", """{"statusCode":409}"""));

        Assert.Equal(409, error.StatusCode);
        Assert.Equal("refused", error.Content);
        Assert.Equal("test", error.Headers!["X-Reason"]);
    }

    [Fact]
    public virtual async Task The_caller_of_a_transport_and_of_code_is_known_where_the_operation_runs()
    {
        const string Expected = "ann Bearer, device -; admin; 7 http://www.w3.org/2001/XMLSchema#integer32 issuer; ann";
        var request = new CallRequest { Admission = CallAdmission.Wait, Transport = Ann, UserOf = static transport => (ClaimsPrincipal)transport };
        Assert.Equal($"\"{Expected}\"", await Application.CallAsync($"{Service}/Who", "{}", request));
        Assert.Equal(Expected, await Probing.WhoAsync(Ann));

        // Nothing of the one call is left for the next.
        Assert.Equal($"\"{NoUser}\"", await Application.CallAsync($"{Service}/Who", "{}", new CallRequest { Admission = CallAdmission.Wait }));
        Assert.Equal(NoUser, await Probing.WhoAsync(null));
    }

    [Fact]
    public async Task A_caller_who_has_left_already_is_cancelled()
    {
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => CallAsync("Add", """{"a":1,"b":2}""", new CancellationToken(true)));
    }

    [Fact]
    public async Task Calls_run_where_they_are_placed()
    {
        var processId = int.Parse(await CallAsync("ProcessId"), null);
        Assert.Equal(IsOtherProcess, processId != Environment.ProcessId);
    }

    [Fact]
    public async Task A_thousand_calls_at_once_each_get_their_own_result()
    {
        var calls = Enumerable.Range(0, 1000).Select(async index => await CallAsync("Add", $$"""{"a":{{index}},"b":1}""") == $"{index + 1}");
        Assert.All(await Task.WhenAll(calls), Assert.True);
    }

    [Fact]
    public async Task A_batch_gives_one_result_for_each_item()
    {
        var numbers = Enumerable.Range(0, 2000).ToArray();
        var seen = new HashSet<int>();
        await foreach (var sum in Probing.AddOneToEach(numbers, TestContext.Current.CancellationToken))
        {
            Assert.Equal(numbers[sum.Index] + 1, sum.Result);
            Assert.True(seen.Add(sum.Index));
        }

        Assert.Equal(numbers.Length, seen.Count);
    }

    [Fact]
    public virtual async Task A_batch_gives_each_failure_for_itself()
    {
        var failures = await Probing.FailEach(["a", "b", "c"]).ToListAsync(TestContext.Current.CancellationToken);
        Assert.Equal([0, 1, 2], failures.Select(static one => one.Index).Order());
        Assert.All(failures, static one => Assert.Equal(((char)('a' + one.Index)).ToString(), one.Failure!.Message));
        Assert.Equal(3, (await Probing.ForgetEach([1, 2, 3]).ToListAsync(TestContext.Current.CancellationToken)).Count(static one => one.Failure is null));
    }

    [Fact]
    public async Task Who_stops_a_batch_early_leaves_nothing_behind()
    {
        using var leaving = new CancellationTokenSource();
        var taken = 0;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            await foreach (var sum in Probing.AddOneToEach(Enumerable.Range(0, 100_000).ToArray(), leaving.Token))
            {
                if (++taken == 100)
                {
                    await leaving.CancelAsync();
                }
            }
        });
        Assert.Equal(100, taken);
        Assert.Equal("42", await CallAsync("Add", """{"a":40,"b":2}"""));
    }

    private protected abstract IProbing Probing { get; }

    private protected const string NoUser = "- -; ; ; no user";

    private protected static ClaimsPrincipal Ann { get; } = new(
    [
        new ClaimsIdentity([new Claim("n", "ann"), new Claim("r", "admin"), new Claim("age", "7", ClaimValueTypes.Integer32, "issuer")], "Bearer", "n", "r"),
        new ClaimsIdentity([new Claim(ClaimTypes.Name, "device")]),
    ]);

    private protected virtual Task<string> CallAsync(string operation, string arguments = "{}", CancellationToken cancellationToken = default) =>
        Application.CallAsync($"{Service}/{operation}", arguments, new CallRequest { Admission = CallAdmission.Wait, CancellationToken = cancellationToken });
}

public sealed class InlineExecutorTests : ExecutorCompliance
{
    private protected override string Service => "InlineSync";

    private protected override IProbing Probing => new Probing<IInlineSyncClient>(
        Application.Get<IInlineSyncClient>(),
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    private protected override bool IsOtherProcess => false;

    [Fact]
    public async Task Arguments_are_shared()
    {
        var basket = new Basket("a", []);
        await Application.Get<IInlineSyncClient>().Grow(basket, 1, TestContext.Current.CancellationToken);
        Assert.Equal([1], basket.Amounts);
    }
}

public sealed class LaneExecutorTests : ExecutorCompliance
{
    private protected override string Service => "LaneSync";

    private protected override IProbing Probing => new Probing<ILaneSyncClient>(
        Application.Get<ILaneSyncClient>(),
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    private protected override bool IsOtherProcess => false;

    [Fact]
    public async Task Arguments_are_shared()
    {
        var basket = new Basket("a", []);
        await Application.Get<ILaneSyncClient>().Grow(basket, 1, TestContext.Current.CancellationToken);
        Assert.Equal([1], basket.Amounts);
    }
}

public sealed class PoolExecutorTests : ExecutorCompliance
{
    private protected override string Service => "IsolatedSync";

    private protected override IProbing Probing => new Probing<IIsolatedSyncClient>(
        Application.Get<IIsolatedSyncClient>(),
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    private protected override bool IsOtherProcess => true;

    [Fact]
    public async Task Arguments_are_copied()
    {
        var basket = new Basket("a", []);
        var grown = await Application.Get<IIsolatedSyncClient>().Grow(basket, 1, TestContext.Current.CancellationToken);
        Assert.Empty(basket.Amounts);
        Assert.Equal([1], grown.Amounts);
    }

    [Fact]
    public async Task Raw_bytes_travel_beside_the_json() =>
        Assert.Equal([3, 2, 1], await Application.Get<IIsolatedSyncClient>().Reverse(new byte[] { 1, 2, 3 }, TestContext.Current.CancellationToken));
}

/// <summary>The pool where only named pipes and <c>Process.Start</c> are available, as on Windows and macOS.</summary>
public sealed class PortablePoolExecutorTests : ExecutorCompliance
{
    private protected override string Service => "IsolatedSync";

    private protected override IProbing Probing => new Probing<IIsolatedSyncClient>(
        Application.Get<IIsolatedSyncClient>(),
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    private protected override bool IsOtherProcess => true;

    private protected override void Configure(WeirOptions options) => options.Pool("probe").Launcher = new PortableLauncher();
}

/// <summary>What a debugger sees: isolated operations in the host's own process, where breakpoints are hit.</summary>
public sealed class IsolatedInlineTests : ExecutorCompliance
{
    private protected override string Service => "IsolatedSync";

    private protected override IProbing Probing => new Probing<IIsolatedSyncClient>(
        Application.Get<IIsolatedSyncClient>(),
        static (client, a, b, token) => client.Add(a, b, token),
        static (client, message, token) => client.Fail(message, token),
        static (client, token) => client.Forget(token),
        static (client, user, token) => client.Who(user, token));

    private protected override bool IsOtherProcess => false;

    private protected override void Configure(WeirOptions options) => options.RunInline = true;

    [Fact]
    public void No_pool_is_started_for_code_that_can_run_here() =>
        Assert.DoesNotContain(Application.Runtime.Pools, static pool => pool.Name != "foreign");
}
