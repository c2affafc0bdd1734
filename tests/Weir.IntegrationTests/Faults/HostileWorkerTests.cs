using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>
/// Code in a worker that attacks the worker and what it shares with its host. Callers beside it always get right answers, and
/// only calls fail that ran in an attacked worker. The number is how often an attack is made in the normal run.
/// </summary>
[Collection(nameof(Alone))]
public sealed class HostileWorkerTests
{
    private const int LongRun = 25;

    private static readonly Attack[] OnDescriptors =
    [
        new("writes 4 KB of noise to the descriptors 3 to 20", 2, static (hostile, a) => hostile.Noise(a.Witness, 3, 20, 4096, a.Token)),
        new("writes 4 MB of noise to the descriptors 3 to 20", 1, static (hostile, a) => hostile.Noise(a.Witness, 3, 20, 4 << 20, a.Token)),
        new("closes the descriptors 3 to 20", 1, static (hostile, a) => hostile.CloseDescriptors(a.Witness, 3, 20, a.Token)),
        new("closes one of the descriptors 3 to 7", 5, static (hostile, a) => hostile.CloseDescriptors(a.Witness, 3 + (a.Round % 5), 3 + (a.Round % 5), a.Token)),
        new("closes stdout", 1, static (hostile, a) => hostile.CloseDescriptors(a.Witness, 1, 1, a.Token)),
        new("closes stderr", 1, static (hostile, a) => hostile.CloseDescriptors(a.Witness, 2, 2, a.Token)),
        new("takes 10,000 descriptors", 1, static (hostile, a) => hostile.TakeDescriptors(a.Witness, 10_000, a.Token)),
    ];

    private static readonly Attack[] OnSharedMemory =
    [
        new("overwrites 50 bytes", 4, static (hostile, a) => hostile.Scribble(a.Witness, "bytes", a.Round, 0, a.Token)),
        new("overwrites the rings", 2, static (hostile, a) => hostile.Scribble(a.Witness, "rings", a.Round, 0, a.Token)),
        new("overwrites all of it", 2, static (hostile, a) => hostile.Scribble(a.Witness, "whole", a.Round, 0, a.Token)),
        new("overwrites the head", 2, static (hostile, a) => hostile.Scribble(a.Witness, "head", a.Round, 0, a.Token)),
        new("keeps overwriting the head after its answer", 1, static (hostile, a) => hostile.Scribble(a.Witness, "head", a.Round, 300, a.Token)),
        new("keeps overwriting bytes after its answer", 1, static (hostile, a) => hostile.Scribble(a.Witness, "bytes", a.Round, 300, a.Token)),
    ];

    // Not random: with several calls in one worker, bytes that are chosen at random may change the answer of another call.
    private static readonly Attack[] OnWordsOfSharedMemory =
    [
        new("clears the head", 1, static (hostile, a) => hostile.Scribble(a.Witness, "zero", a.Round, 0, a.Token)),
        new("fills the head with ones", 1, static (hostile, a) => hostile.Scribble(a.Witness, "ones", a.Round, 0, a.Token)),
        new("keeps the host from being woken", 1, static (hostile, a) => hostile.Scribble(a.Witness, "sleeps", a.Round, 300, a.Token)),
    ];

    private static readonly Attack[] Floods =
    [
        new("floods the data socket", 1, static (hostile, a) => hostile.FloodChannel(a.Witness, 3, 1 << 16, 1000, a.Token)),
        new("floods the data socket byte by byte", 1, static (hostile, a) => hostile.FloodChannel(a.Witness, 3, 1, 1000, a.Token)),
        new("floods the control socket", 1, static (hostile, a) => hostile.FloodChannel(a.Witness, 4, 1 << 16, 1000, a.Token)),
        new("sends 200,000 PONG without a PING", 1, static (hostile, a) => hostile.FloodPong(a.Witness, 200_000, a.Token)),
        new("sends 30,000 LOG", 1, static (hostile, a) => hostile.FloodLog(a.Witness, 30_000, a.Token)),
        new("prints 200,000 lines on stderr", 1, static (hostile, a) => hostile.FloodError(a.Witness, 200_000, a.Token)),
        new("prints 300 MB without ending the line", 1, static (hostile, a) => hostile.PrintOneLine(a.Witness, 300, a.Token)),
    ];

    private static readonly Attack[] OfProcesses =
    [
        new("forks 25 copies of its process", 1, static (hostile, a) => hostile.Fork(a.Witness, 25, 2, a.Token)),
        new("leaves two daemons behind", 1, static (hostile, a) => hostile.Shell(a.Witness, "for i in 1 2; do setsid sleep 2 & done", a.Token)),
        new("starts 400 children", 1, static (hostile, a) => hostile.Shell(a.Witness, "i=0; while [ $i -lt 400 ]; do sleep 1 & i=$((i+1)); done; wait", a.Token)),
    ];

    private static readonly Attack[] WorkerFailure =
    [
        .. new[] { "exit", "exit 0", "_exit", "fail fast", "unhandled", "overflow", "out of memory", "segv", "15", "19", "9" }.Select(static how =>
            new Attack($"ends itself by {how}", how is "exit 0" or "_exit" ? 2 : 1, (hostile, a) => hostile.Die(a.Witness, how, 0, a.Token))
            {
                GivenUpAfter = TimeSpan.FromSeconds(2),
            }),
    ];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public Task Callers_beside_code_that_writes_to_and_closes_descriptors_are_answered() => RunAsync(OnDescriptors);

    [Fact]
    public Task Callers_beside_code_that_overwrites_shared_memory_are_answered() => RunAsync([.. OnSharedMemory, .. OnWordsOfSharedMemory]);

    [Fact]
    public Task Callers_beside_code_that_overwrites_words_of_the_memory_of_16_calls_at_a_time_are_answered() =>
        RunAsync(OnWordsOfSharedMemory, concurrency: 16);

    [Fact]
    public Task Callers_beside_code_that_floods_its_channels_and_its_output_are_answered() => RunAsync(Floods);

    [Fact]
    public Task Callers_beside_code_that_starts_processes_are_answered() => RunAsync(OfProcesses);

    [Fact]
    public Task Callers_beside_code_that_ends_its_process_are_answered() => RunAsync(WorkerFailure);

    [Fact, Trait("Kind", "Long")]
    public Task Callers_beside_25_times_as_many_attacks_are_answered() =>
        RunAsync([.. OnDescriptors, .. OnSharedMemory, .. OnWordsOfSharedMemory, .. Floods, .. OfProcesses, .. WorkerFailure], LongRun);

    private static async Task RunAsync(Attack[] attacks, int times = 1, int concurrency = 1)
    {
        var witness = Path.GetTempFileName();
        await using var pool = FreshPool.Start("misbehaviour", options =>
        {
            options.MinWorkers = 2;
            options.MaxWorkers = 3;
            options.Concurrency = concurrency;
            options.CancelGrace = TimeSpan.FromMilliseconds(500);
            options.RestartBudget = 1_000;
            options.QuarantineKills = 0;
        });
        await using var other = FreshPool.Start("compliance", static options => options.MinWorkers = options.MaxWorkers = 1);
        await Task.WhenAll(pool.WaitUntilReadyAsync(Token), other.WaitUntilReadyAsync(Token));
        try
        {
            await AttackAsync(pool, other, attacks, times, witness);
        }
        finally
        {
            // A call that hangs would keep the pool from draining, and the test from failing.
            await pool.DrainAsync(new CancellationToken(canceled: true));
            File.Delete(witness);
        }
    }

    private static async Task AttackAsync(WorkerPool pool, WorkerPool other, Attack[] attacks, int times, string witness)
    {
        await using var bystanders = new Bystanders(pool, other);
        foreach (var attack in attacks)
        {
            for (var round = 0; round < attack.Times * times; round++)
            {
                // The outcome of the attacking call does not matter, but it has one.
                using var givenUp = new CancellationTokenSource(attack.GivenUpAfter);
                var failure = await Record.ExceptionAsync(() => attack.RunAsync(pool.GetProxy<IHostileClient>(), new Target(witness, round, givenUp.Token)).AsTask().WithinAsync(60));
                Assert.False(failure is TimeoutException, $"The call that {attack.Name} hung.");
                await bystanders.CheckAsync(attack.Name, Attacked(witness), OnSharedMemory.Contains(attack));
            }
        }
    }

    private static HashSet<int> Attacked(string witness) => [.. File.ReadLines(witness).Select(int.Parse)];

    private sealed record Attack(string Name, int Times, Func<IHostileClient, Target, ValueTask<int>> RunAsync)
    {
        /// <summary>A call whose worker says nothing more is given up then, and the worker killed after the grace.</summary>
        public TimeSpan GivenUpAfter { get; init; } = TimeSpan.FromSeconds(8);
    }

    /// <summary>What one attack is given.</summary>
    private sealed record Target(string Witness, int Round, CancellationToken Token);
}
