using System.Diagnostics;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Runtime;

namespace Weir.Tests.Processes;

/// <summary>Calls that have arguments, in a whole pool whose workers exist only in the test.</summary>
public sealed class PoolMemoryTests : IAsyncDisposable
{
    private const int Patience = 20;

    private static readonly Operation Operation = new()
    {
        Name = "Run",
        Verbs = Verbs.Post,
        Placement = Placement.Isolated,
        Pool = "test",
        Signature = 0,
        HasPlainArguments = true,
        CreateCall = static operation => new ArgumentCall(operation),
    };

    private readonly ManualTime _time = new();
    private readonly ManualLauncher _launcher = new() { HasSharedMemory = true };
    private WorkerPool? _pool;

    static PoolMemoryTests() => _ = new Service { Name = "Test", TypeName = "Test", CreateInstance = static _ => new object(), Operations = [Operation] };

    public async ValueTask DisposeAsync()
    {
        if (_pool is not null)
        {
            await _pool.DrainAsync(new CancellationToken(canceled: true));
        }
    }

    [Fact]
    public async Task The_memory_of_a_call_withdrawn_from_a_worker_belongs_to_its_caller_again()
    {
        var workers = await StartAsync(new PoolOptions { MinWorkers = 2, MaxWorkers = 2 });
        foreach (var worker in workers)
        {
            // The channel is full in the middle of the frame.
            worker.DataStream.Space = 1000;
        }

        var bytes = new byte[50_000];
        bytes.AsSpan().Fill(7);
        var calling = RunAsync(new ArgumentCall(Operation) { Bytes = bytes });
        var first = Assert.Single(workers, static worker => worker.DataStream.Space == 0);
        var second = Assert.Single(workers, static worker => worker.DataStream.Space > 0);

        // The first worker does not start the call, so the second one gets it and answers.
        second.DataStream.GiveSpace();
        _time.Advance(Dispatch.StartPatience);
        Assert.Equal(50_000, (await second.DataStream.NextAsync()).Payload.Count(static b => b == 7));
        second.Answer(1);
        await calling;

        // The caller reuses its memory, and only then the first worker continues to read.
        bytes.AsSpan().Fill(9);
        first.DataStream.GiveSpace();
        Assert.Equal(50_000, (await first.DataStream.NextAsync()).Payload.Count(static b => b == 7));
    }

    [Fact]
    public async Task The_stack_does_not_grow_with_the_number_of_calls_that_are_admitted_in_a_row()
    {
        const int Warm = 5;
        const int Waiting = 3000;
        var worker = Assert.Single(await StartAsync(new PoolOptions { MinWorkers = 1, MaxWorkers = 1, QueueLimit = 1 }));

        // 1. The pool knows that the operation is short, so that many calls are prefetched.
        for (ulong id = 1; id <= Warm; id++)
        {
            var warm = RunAsync(new ArgumentCall(Operation));
            worker.Answer(id);
            await warm;
        }

        // 2. There are more calls than places.
        var depths = new Dictionary<int, (int Least, int Most)>();
        var calls = Enumerable.Range(0, Waiting).Select(_ => RunAsync(new ArgumentCall(Operation) { Text = new string('x', 2000), OnWrite = Note })).ToList();
        lock (depths)
        {
            depths.Clear();
        }

        // 3. The worker answers all its calls together, repeatedly.
        for (ulong answered = Warm; answered < Warm + Waiting;)
        {
            var frame = await worker.DataStream.NextAsync();
            while (worker.DataStream.TryNext() is { } next)
            {
                frame = next;
            }

            if (frame.CallId <= answered)
            {
                continue;
            }

            worker.Answer(Enumerable.Range((int)answered + 1, (int)(frame.CallId - answered)).Select(static id => (ulong)id));
            answered = frame.CallId;
        }

        await Task.WhenAll(calls).WaitAsync(TimeSpan.FromSeconds(Patience), TimeProvider.System, TestContext.Current.CancellationToken);
        Assert.NotEmpty(depths);
        Assert.All(depths.Values, static depth => Assert.InRange(depth.Most - depth.Least, 0, 40));

        void Note()
        {
            var depth = new StackTrace().FrameCount;
            lock (depths)
            {
                var (least, most) = depths.GetValueOrDefault(Environment.CurrentManagedThreadId, (int.MaxValue, 0));
                depths[Environment.CurrentManagedThreadId] = (Math.Min(least, depth), Math.Max(most, depth));
            }
        }
    }

    [Fact]
    public async Task A_call_that_was_answered_completes_even_if_the_next_one_cannot_be_sent()
    {
        var worker = Assert.Single(await StartAsync(new PoolOptions { MinWorkers = 1, MaxWorkers = 1 }));
        var answered = RunAsync(new ArgumentCall(Operation));
        var next = RunAsync(new ArgumentCall(Operation));
        worker.DataStream.Failure = new InvalidOperationException("no memory to send it");
        worker.Answer(1);
        await answered;
        await worker.Killed.Task.WaitAsync(TimeSpan.FromSeconds(20), TimeProvider.System);
        Assert.False(next.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_drain_ends_after_the_last_callback_has_returned()
    {
        using var entered = new ManualResetEventSlim();
        using var mayReturn = new ManualResetEventSlim();
        var hasReturned = false;
        var options = new PoolOptions
        {
            MinWorkers = 1,
            MaxWorkers = 1,
            OnCrash = _ =>
            {
                entered.Set();
                mayReturn.Wait();
                hasReturned = true;
            },
        };
        var worker = Assert.Single(await StartAsync(options));
        var calling = RunAsync(new ArgumentCall(Operation));
        await worker.DataStream.NextAsync();
        worker.Exit(new ExitReport(3, null));
        var other = await _launcher.NextAsync();
        await Task.Run(entered.Wait, TestContext.Current.CancellationToken);
        other.SendReady("Test/Run");
        var draining = _pool!.DrainAsync(new CancellationToken(canceled: true));
        var hadReturned = draining.ContinueWith(_ => Volatile.Read(ref hasReturned), TestContext.Current.CancellationToken, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        for (var i = 0; i < 1000 && !draining.IsCompleted; i++)
        {
            await Task.Yield();
        }

        mayReturn.Set();
        await draining;
        Assert.True(await hadReturned);
        await Assert.ThrowsAnyAsync<WeirException>(() => calling);
    }

    private Task RunAsync(ArgumentCall call) => _pool!.Pipeline.RunAsync(call, new CallRequest { Admission = CallAdmission.Wait }).AsTask()
        .WaitAsync(TimeSpan.FromSeconds(Patience), TimeProvider.System, TestContext.Current.CancellationToken);

    private async Task<List<ManualWorker>> StartAsync(PoolOptions options)
    {
        _pool = new WorkerPool(
            new PoolDefinition
            {
                Name = "test",
                Options = options,
                Program = new WorkerProgram("/none", [], new Dictionary<string, string>()),
                Launcher = _launcher,
                Operations = [Operation],
                Loggers = NullLoggerFactory.Instance,
                Time = _time,
            },
            []);
        _pool.Open();
        List<ManualWorker> workers = [];
        for (var i = 0; i < options.MinWorkers; i++)
        {
            var worker = await _launcher.NextAsync();
            worker.SendReady("Test/Run");
            workers.Add(worker);
        }

        await _pool.WaitUntilReadyAsync(TestContext.Current.CancellationToken);
        return workers;
    }

    private sealed class ArgumentCall(Operation operation) : VoidCall(operation)
    {
        public byte[]? Bytes { get; init; }

        public string? Text { get; init; }

        public Action? OnWrite { get; init; }

        public override void Bind(ArgumentReader reader) => throw new NotSupportedException();

        public override void WriteArguments(ArgumentWriter writer)
        {
            OnWrite?.Invoke();
            if (Bytes is not null)
            {
                writer.AddRaw(0, Bytes);
            }

            if (Text is not null)
            {
                writer.Values.BeginJson().WriteStringValue(Text);
                writer.Values.EndJson();
            }
        }

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken) => throw new NotSupportedException();
    }
}
