using System.IO.Pipelines;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Workers;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>
/// Requests that end early while their body is read: the server gets the body back first. It would log "Reading is already in progress"
/// when it looks for the next request of the connection.
/// </summary>
public sealed class AbortedBodyTests
{
    private const string Lines = "application/x-ndjson";

    // Of a whole test, in milliseconds: what hangs fails, and names itself.
    private const int Limit = 60_000;

    // The whole body, and the beginning of one that is longer.
    public static TheoryData<int> Lengths => [6, 100];

    // Of the one connection.
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CheckedInput? _input;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory(Timeout = Limit)]
    [InlineData("/Probe/Double.ndjson", 4)]
    [InlineData("/Probe/Double.ndjson", 100)]
    [InlineData("/Probe/Double.json", 4)]
    [InlineData("/Probe/Begin", 4)]
    [InlineData("/Probe/Begin", 100)]
    public async Task A_response_that_is_cut_at_an_item_gives_the_body_back(string path, int length)
    {
        await using var host = await StartAsync(
            Probe.Stream("Double", static (a, _) => Numbers(a).Select(static number => 2 * number), [Probe.Items("numbers")]),
            Probe.Result("Begin", ResultKind.Text, static (a, context) => BeginAsync(Numbers(a), context), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await SendAsync(host, path, "1\n&\n", length);
        await connection.ReadToEndAsync();
        await AssertQuietAsync(host);

        static async Task<object?> BeginAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            var response = Http(context).Response;
            await response.WriteAsync("begun", Cancel);
            await response.Body.FlushAsync(Cancel);
            return await numbers.CountAsync(Cancel);
        }
    }

    [Theory(Timeout = Limit)]
    [InlineData(4)]
    [InlineData(100)]
    public async Task A_stream_out_of_a_worker_that_is_cut_gives_the_body_back(int length)
    {
        await using var host = await StartAsync(Generated.ApplicationCatalog.Catalogs, static options =>
        {
            foreach (var pool in (string[])["probe", "misbehaviour", "compliance", "foreign", Services.Kinds.Pool])
            {
                options.Pool(pool).MinWorkers = 0;
            }

            options.Pool("foreign").Command = ["python3", Interpreters.PythonProgram];
        });
        using var connection = await SendAsync(host, "/IsolatedRequests/Double.ndjson", "1\n&\n", length);
        await connection.ReadToEndAsync();
        await AssertQuietAsync(host);
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(Lengths))]
    public async Task An_operation_that_aborts_its_request_between_two_items_gives_the_body_back(int length)
    {
        await using var host = await StartAsync(Probe.Result("Abort", ResultKind.Value, static (a, context) => AbortAsync(Numbers(a), context), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await SendAsync(host, "/Probe/Abort", "1\n2\n3\n", length);
        Assert.Empty(await connection.ReadToEndAsync());
        await AssertQuietAsync(host);

        static async Task<object?> AbortAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            var sum = 0;
            await foreach (var number in numbers.WithCancellation(Cancel))
            {
                sum += number;
                Http(context).Abort();
            }

            return sum;
        }
    }

    [Fact(Timeout = Limit)]
    public async Task A_request_that_is_aborted_while_an_item_is_waited_for_gives_the_body_back()
    {
        Task<bool>? second = null;
        await using var host = await StartAsync(Probe.Result("Abort", ResultKind.Value, (a, context) => AbortAsync(Numbers(a), context), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await SendAsync(host, "/Probe/Abort", "1\n", 100);
        Assert.Empty(await connection.ReadToEndAsync());
        await AssertQuietAsync(host);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second!);

        async Task<object?> AbortAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            await using var items = numbers.GetAsyncEnumerator(Cancel);
            Assert.True(await items.MoveNextAsync());
            second = items.MoveNextAsync().AsTask();
            Http(context).Abort();
            await second;
            return 0;
        }
    }

    [Theory(Timeout = Limit)]
    [MemberData(nameof(Lengths))]
    public async Task A_client_that_leaves_between_two_items_leaves_no_body_behind(int length)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var host = await StartAsync(Probe.Result("First", ResultKind.Value, (a, context) => FirstAsync(Numbers(a), context), [Probe.Items("numbers")], Verbs.Post));
        using var connection = await SendAsync(host, "/Probe/First", "1\n2\n3\n", length);
        await begun.Task;
        connection.Reset();
        await AssertQuietAsync(host);

        async Task<object?> FirstAsync(IAsyncEnumerable<int> numbers, OperationContext context)
        {
            await using var items = numbers.GetAsyncEnumerator(Cancel);
            Assert.True(await items.MoveNextAsync());
            begun.SetResult();
            await Task.Delay(Timeout.Infinite, Http(context).RequestAborted).ContinueWith(static _ => { }, TaskScheduler.Default);
            return 1;
        }
    }

    private Task<WeirHost> StartAsync(params Operation[] operations) =>
        StartAsync([new ProbeCatalog(operations)], static options => options.RunInline = true);

    private Task<WeirHost> StartAsync(IReadOnlyList<ServiceCatalog> catalogs, Action<WeirOptions> weir) => WeirHost.StartAsync(new WeirHost.Setup
    {
        Catalogs = catalogs,
        Weir = weir,
        Services = builder => builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Use(next => async connection =>
        {
            connection.Transport = new CheckedTransport(connection.Transport, _input = new CheckedInput(connection.Transport.Input));
            await next(connection);
            _ended.SetResult();
        }))),
    });

    private static async Task<RawConnection> SendAsync(WeirHost host, string path, string body, int length)
    {
        Assert.True(Encoding.UTF8.GetByteCount(body) <= length);
        var connection = await RawConnection.OpenAsync(host.Tls!);
        await connection.SendAsync($"POST {path} HTTP/1.1\nHost: x\nContent-Type: {Lines}\nContent-Length: {length}", body);
        return connection;
    }

    // Before the server ends a connection it looks for the next request.
    private async Task AssertQuietAsync(WeirHost host)
    {
        await _ended.Task;
        Assert.Equal((true, false), (_input!.WasRead, _input.WasReadTwice));
        Assert.DoesNotContain(host.Log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    private static HttpContext Http(OperationContext context) => (HttpContext)context.Transport!;

    private static IAsyncEnumerable<int> Numbers(Dictionary<string, object?> arguments) => (IAsyncEnumerable<int>)arguments["numbers"]!;

    private sealed class CheckedTransport(IDuplexPipe transport, PipeReader input) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => transport.Output;
    }

    // Kestrel logs a second read only where the connection has not noticed its end by then.
    private sealed class CheckedInput(PipeReader input) : PipeReader
    {
        private bool _isReading;

        internal bool WasRead { get; private set; }

        internal bool WasReadTwice { get; private set; }

        public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
        {
            WasReadTwice |= _isReading;
            var result = await input.ReadAsync(cancellationToken);
            _isReading = WasRead = true;
            return result;
        }

        public override bool TryRead(out ReadResult result)
        {
            WasReadTwice |= _isReading;
            _isReading = input.TryRead(out result);
            return _isReading;
        }

        public override void AdvanceTo(SequencePosition consumed)
        {
            _isReading = false;
            input.AdvanceTo(consumed);
        }

        public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
        {
            _isReading = false;
            input.AdvanceTo(consumed, examined);
        }

        public override void CancelPendingRead() => input.CancelPendingRead();

        public override void Complete(Exception? exception = null) => input.Complete(exception);

        [Obsolete("As the base has it.")]
        public override void OnWriterCompleted(Action<Exception?, object?> callback, object? state) => input.OnWriterCompleted(callback, state);
    }
}
