using System.Collections.Concurrent;
using System.Text.RegularExpressions;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Callers beside an attack on a worker: of the same pool, and of another pool of the same host. Every answer is checked.</summary>
internal sealed partial class Bystanders : IAsyncDisposable
{
    // Of the machine, not of the host: so long a worker may take that shares its processors with a flood.
    private const double Patience = 30;
    private const int Callers = 3;

    private readonly WorkerPool _pool;
    private readonly WorkerPool _other;
    private readonly CancellationTokenSource _enough = new();
    private readonly ConcurrentQueue<string> _wrong = new();

    // Text in which a byte is another one: what overwrites the memory in which an answer is can change it so that it remains readable.
    private readonly ConcurrentQueue<string> _altered = new();
    private readonly ConcurrentQueue<Exception> _failures = new();
    private readonly Task[] _callers;

    // What overwrites frames may continue for a while after its answer.
    private bool _mayDamage;

    // How many calls each caller has made.
    private readonly int[] _made = new int[Callers + 1];

    public Bystanders(WorkerPool pool, WorkerPool other)
    {
        (_pool, _other) = (pool, other);
        _callers = [.. Enumerable.Range(0, Callers).Select(seed => Task.Run(() => AskAsync(seed))), Task.Run(AskOtherAsync)];
    }

    /// <summary>Callers of both pools get answers, so many more of them, and each was right.</summary>
    /// <param name="attack">What was done before.</param>
    /// <param name="attacked">The workers in which it was done.</param>
    /// <param name="mayDamage">Whether it overwrites random bytes of frames: arguments and answers on their way may become unreadable.</param>
    public async Task CheckAsync(string attack, IReadOnlySet<int> attacked, bool mayDamage)
    {
        _mayDamage |= mayDamage;

        // 1. More of them, for each caller: no caller hangs.
        var before = _made.ToArray();
        Assert.True(
            await ProcFiles.EventuallyAsync(() => !_wrong.IsEmpty || Enumerable.Range(0, _made.Length).All(i => Volatile.Read(ref _made[i]) >= before[i] + 5), TimeSpan.FromSeconds(2 * Patience)),
            $"After '{attack}' a caller beside it is not answered any more.");

        // 2. Only what ran in an attacked worker may have failed.
        Assert.True(_wrong.IsEmpty, $"After '{attack}': {string.Join("; ", _wrong.Take(5))}");
        Assert.True(_mayDamage || _altered.IsEmpty, $"After '{attack}': {string.Join("; ", _altered.Take(5))}");
        foreach (var failure in _failures)
        {
            Assert.True(attacked.Contains(WorkerOf(failure)) || (_mayDamage && IsUnreadable(failure)), $"After '{attack}', which was in {string.Join(' ', attacked)}: {failure}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _enough.CancelAsync();
        await Task.WhenAll(_callers).WaitAsync(TimeSpan.FromSeconds(2 * Patience), TimeProvider.System);
        _enough.Dispose();
    }

    private static int WorkerOf(Exception failure) => failure switch
    {
        WorkerLostException { ProcessId: var worker } => worker,
        ProtocolViolationException { Message: var message } when Worker().Match(message) is { Success: true } match => int.Parse(match.Groups[1].ValueSpan),
        _ => 0,
    };

    // The arguments on their way to such a worker, or the result on its way back.
    private static bool IsUnreadable(Exception failure) => failure switch
    {
        BindingException { Message: var message } => message.Contains("(frame)", StringComparison.Ordinal),
        ProtocolViolationException { Message: var message } => message.StartsWith("A result ", StringComparison.Ordinal),
        _ => false,
    };

    private async Task AskAsync(int caller)
    {
        var random = new Random(caller);
        var hostile = _pool.GetProxy<IHostileClient>();
        while (!_enough.IsCancellationRequested)
        {
            var (a, b) = (random.Next(), random.Next());
            try
            {
                Expect(_altered, $"{a}*{b}={(long)a * b}", await hostile.Product(a, b).AsTask().WaitAsync(TimeSpan.FromSeconds(Patience), TimeProvider.System));
            }
            catch (TimeoutException)
            {
                _wrong.Enqueue($"a call of the same pool hung for {Patience} s");
            }
            catch (Exception failure)
            {
                _failures.Enqueue(failure);
            }

            Interlocked.Increment(ref _made[caller]);
            await Task.Delay(1);
        }
    }

    private async Task AskOtherAsync()
    {
        var other = _other.GetProxy<IComplianceInlineClient>();
        for (var i = 0; !_enough.IsCancellationRequested; i++)
        {
            try
            {
                Expect(_wrong, $"{i + 7}", $"{await other.Add(i, 7).AsTask().WaitAsync(TimeSpan.FromSeconds(Patience), TimeProvider.System)}");
            }
            catch (Exception failure)
            {
                _wrong.Enqueue($"a call of another pool failed: {failure}");
            }

            Interlocked.Increment(ref _made[Callers]);
            await Task.Delay(1);
        }
    }

    // One that differs in more than a word of memory is another call's.
    private void Expect(ConcurrentQueue<string> altered, string expected, string actual)
    {
        if (expected != actual)
        {
            (IsAltered(expected, actual) || HasAlteredArguments(expected, actual) ? altered : _wrong).Enqueue($"'{expected}' was awaited, '{actual}' came");
        }
    }

    private static bool IsAltered(string expected, string actual) =>
        expected.Length == actual.Length && expected.Zip(actual).Count(static one => one.First != one.Second) <= sizeof(long);

    // The arguments were altered on their way to the worker, which then computed another product from them.
    private static bool HasAlteredArguments(string expected, string actual) =>
        Product().Match(actual) is { Success: true } match
        && match.Groups[3].Value == $"{Int128.Parse(match.Groups[1].ValueSpan) * Int128.Parse(match.Groups[2].ValueSpan)}"
        && IsAltered(expected[..expected.IndexOf('=', StringComparison.Ordinal)], actual[..actual.IndexOf('=', StringComparison.Ordinal)]);

    [GeneratedRegex(@"^The worker (\d+) ")]
    private static partial Regex Worker();

    [GeneratedRegex(@"^(\d+)\*(\d+)=(\d+)$")]
    private static partial Regex Product();
}
