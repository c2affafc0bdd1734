using System.Diagnostics;
using System.Globalization;
using System.Text;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Workers;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>
/// A call that its caller has given up is still answered by its worker. That answer reaches no caller: every other call gets its own. Each
/// call carries a number that no other call has, and its result is that number; the workers count the answers that came too late.
/// </summary>
[Collection(nameof(Alone))]
public sealed class LateAnswerTests
{
    private const string Inline = ".NET";
    private const string Pumped = ".NET, asynchronous";
    private const string Concurrent = ".NET, 16 at a time";
    private const double Soon = 60;
    private const int MostRounds = 6;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string> Workers => [Inline, Pumped, Concurrent, "Python", "Node", "Mono"];

    /// <summary>One of each language: for every killed worker a process is started.</summary>
    public static TheoryData<string> Languages => [Concurrent, "Python", "Node", "Mono"];

    [Theory]
    [MemberData(nameof(Workers))]
    public Task Thirty_late_answers_after_a_deadline_a_cancel_and_a_withdrawal_reach_no_other_call(string worker) => GiveUpAsync(worker, 30);

    [Theory, Trait("Kind", "Long")]
    [MemberData(nameof(Workers))]
    public Task Ten_thousand_late_answers_after_a_deadline_a_cancel_and_a_withdrawal_reach_no_other_call(string worker) => GiveUpAsync(worker, 10_000);

    [Theory]
    [MemberData(nameof(Languages))]
    public Task Twenty_calls_of_killed_workers_leave_no_answer_to_callers_of_their_siblings(string worker) => KillSiblingsAsync(worker, 20);

    [Theory, Trait("Kind", "Long")]
    [MemberData(nameof(Workers))]
    public Task A_thousand_calls_of_killed_workers_leave_no_answer_to_callers_of_their_siblings(string worker) => KillSiblingsAsync(worker, 1_000);

    // The three ways beside each other, each with a pool of its own.
    private static Task GiveUpAsync(string worker, int count) =>
        Task.WhenAll(GiveUpAsync(worker, count, DeadlineAsync), GiveUpAsync(worker, count, CancelAsync), GiveUpAsync(worker, count, WithdrawAsync));

    private static async Task GiveUpAsync(string worker, int count, Func<Caller, Random, Task> giveUpAsync)
    {
        await using var pool = Start(worker, workers: 1);
        var caller = new Caller(pool, worker);
        var random = new Random(2026);
        await caller.AskAsync();
        var late = 0;
        for (var round = 0; late < count; round++)
        {
            Assert.True(round < count * MostRounds, $"Only {late} late answers after {round} calls that were given up.");
            var givenUp = giveUpAsync(caller, random);
            await Task.WhenAll([givenUp, .. Enumerable.Range(0, 3).Select(_ => caller.AskAsync())]);
            if (round % 10 == 9)
            {
                late = await caller.CountLateAsync();
            }
        }

        // The worker of the first call is the one of the last: what it counted is all there was.
        Assert.Equal(0L, pool.Snapshot().Workers.Count - 1);
    }

    // It has passed, or passes soon. A call that has not started has no late answer.
    private static Task DeadlineAsync(Caller caller, Random random) =>
        caller.GiveUpAsync(new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(1 + random.Next(10)) });

    private static async Task CancelAsync(Caller caller, Random random)
    {
        using var leaving = new CancellationTokenSource();
        var call = caller.GiveUpAsync(new CallRequest { CancellationToken = leaving.Token });
        await Task.Delay(random.Next(6), Token);
        await leaving.CancelAsync();
        await call;
    }

    // The worker is busy: first calls are withdrawn that wait for it or that it has not read, then the call that it runs.
    private static async Task WithdrawAsync(Caller caller, Random random)
    {
        using var leaving = new CancellationTokenSource();
        using var withdrawing = new CancellationTokenSource();
        var call = caller.GiveUpAsync(new CallRequest { CancellationToken = leaving.Token });
        var waiting = Enumerable.Range(0, 4).Select(i => i % 2 == 0 ? caller.AskAsync() : caller.AskOrLeaveAsync(withdrawing.Token)).ToArray();
        await Task.Delay(random.Next(6), Token);
        await withdrawing.CancelAsync();
        await leaving.CancelAsync();
        await Task.WhenAll([call, .. waiting]);
    }

    private static async Task KillSiblingsAsync(string worker, int count)
    {
        // While one is killed, another one answers, and a third one starts.
        await using var pool = Start(worker, workers: 3);
        var caller = new Caller(pool, worker);
        var atATime = worker == Concurrent ? 8 : 1;
        var random = new Random(2026);
        var killed = new HashSet<int>();
        for (var lost = 0; lost < count; lost += atATime)
        {
            // Calls that wait, cancelled just before their worker is killed or not: what it sent last, if anything, is read after its end.
            using var leaving = new CancellationTokenSource();
            var calls = Task.WhenAll(Enumerable.Range(0, atATime).Select(_ => caller.LoseAsync(leaving.Token)));
            var others = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => caller.AskOrLoseAsync()));
            var patience = 20;
            while (!calls.IsCompleted)
            {
                // A call that its worker has not started gets another worker. Most have started after so long; on a busy machine the next
                // worker gets more time, or no call would ever start.
                if (FindRunning(pool, killed) is { } running)
                {
                    await Task.Delay(patience, Token);
                    patience = Math.Min(2 * patience, 2_000);
                    await (random.Next(2) == 0 ? leaving.CancelAsync() : Task.CompletedTask);
                    Assert.Equal(0, Signals.Send(running, Signals.Kill));
                    killed.Add(running);
                }

                await Task.Delay(1, Token);
            }

            await Task.WhenAll(calls, others);
        }
    }

    // The operation of a call that waits has another name than that of the calls beside it. The pool may not know yet that a killed one is gone;
    // when it does, another process may get its id.
    private static int? FindRunning(WorkerPool pool, HashSet<int> killed)
    {
        var workers = pool.Snapshot().Workers;
        killed.IntersectWith(workers.Select(static one => one.ProcessId));
        return workers.FirstOrDefault(one =>
            one is { State: "busy", ProcessId: > 0 } && !killed.Contains(one.ProcessId) && one.Operation?.EndsWith("/Wait", StringComparison.Ordinal) == true)?.ProcessId;
    }

    private static WorkerPool Start(string worker, int workers)
    {
        var command = worker is Inline or Pumped or Concurrent ? null : Interpreters.Of(worker);
        return FreshPool.Start(command is null ? "compliance" : "foreign", options =>
        {
            options.Command = command;
            options.MinWorkers = options.MaxWorkers = workers;
            options.Concurrency = worker == Concurrent ? 16 : 1;
            options.Priority = ProcessPriorityClass.Normal;
            options.CancelGrace = options.StartTimeout = TimeSpan.FromSeconds(Soon);
            options.RestartBudget = 1_000;
            options.QuarantineKills = 0;
        });
    }

    /// <summary>Makes calls with a number of their own, and checks their answers.</summary>
    private sealed class Caller(WorkerPool pool, string worker)
    {
        private static int _lastNumber;

        private readonly string _service = worker switch { Inline => "ComplianceInline", Pumped or Concurrent => "CompliancePumped", _ => "Compliance" };

        public async Task AskAsync(CallRequest request = default)
        {
            var id = Interlocked.Increment(ref _lastNumber);
            Assert.Equal(id, await LateAsync(id, waits: false, request));
        }

        public async Task AskOrLeaveAsync(CancellationToken leaving)
        {
            try
            {
                await AskAsync(new CallRequest { CancellationToken = leaving });
            }
            catch (OperationCanceledException)
            {
            }
        }

        public async Task AskOrLoseAsync()
        {
            try
            {
                await AskAsync();
            }
            catch (WorkerLostException)
            {
            }
        }

        /// <summary>A call that is answered only after it was given up.</summary>
        public async Task GiveUpAsync(CallRequest request)
        {
            var failure = await Record.ExceptionAsync(() => LateAsync(Interlocked.Increment(ref _lastNumber), waits: true, request));
            Assert.True(failure is OperationCanceledException or DeadlineExceededException, $"{failure}");
        }

        /// <summary>A call that ends with its worker, unless it is cancelled before.</summary>
        public async Task LoseAsync(CancellationToken leaving)
        {
            var failure = await Record.ExceptionAsync(() => RunAsync("Wait", "{}", new CallRequest { CancellationToken = leaving }));
            Assert.True(failure is WorkerLostException or OperationCanceledException, $"{failure}");
        }

        /// <summary>How many answers of the worker came after their calls were given up.</summary>
        public Task<int> CountLateAsync() => RunAsync("LateCount", "{}", default);

        private Task<int> LateAsync(int id, bool waits, CallRequest request) =>
            RunAsync("Late", $$"""{"id":{{id}},"waits":{{(waits ? "true" : "false")}}}""", request);

        private async Task<int> RunAsync(string name, string arguments, CallRequest request)
        {
            var operation = FreshPool.Catalogs.Services.Single(service => service.Name == _service).Operations.Single(operation => operation.Name == name);
            var call = operation.CreateCall(operation);
            var faults = new BindingErrorList();
            call.Bind(new JsonArgumentReader(Encoding.UTF8.GetBytes(arguments), "body", faults));
            faults.ThrowIfAny();
            try
            {
                await pool.Pipeline.RunAsync(call, request with { Admission = CallAdmission.Wait }).AsTask().WithinAsync(Soon);
            }
            catch (TimeoutException)
            {
                // What hangs would keep the pool from draining, and so the test from saying it.
                var (snapshot, workers) = (pool.Snapshot(), string.Join("; ", pool.Snapshot().Workers));
                await pool.DrainAsync(new CancellationToken(canceled: true));
                throw new InvalidOperationException($"{name}({arguments}) hung: {snapshot}, {workers}");
            }

            using var output = new PayloadWriter();
            call.WriteResult(output, ResultEncoding.Json);
            return int.Parse(Encoding.UTF8.GetString(output.WrittenSpan), CultureInfo.InvariantCulture);
        }
    }
}
