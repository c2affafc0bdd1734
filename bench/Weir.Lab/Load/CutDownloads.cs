using System.Globalization;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Load;

/// <summary>Reads content that is cut at random bytes, by its source or by a kill of its worker, and some that is whole, several at a time: does any of it look complete?</summary>
/// <param name="port">Of the server.</param>
/// <param name="service">The service that makes it.</param>
/// <param name="seed">Of lengths and places.</param>
internal sealed class CutDownloads(int port, string service, int seed)
{
    // No more than there are workers: the one that is killed runs only the call that is cut.
    private const int AtOnce = 2;
    private const int MostBytes = 1_000_000;
    private const int WholeEvery = 20;

    // More than is ever on its way: a kill finds a worker that still sends.
    private const long KilledBytes = 1L << 40;
    private const int MostBeforeKill = 4_000_000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);
    private static readonly string[] Failures = [ContentWork.Failing, ContentWork.SizedFailing, ContentWork.Short];
    private static readonly string[] Unfailing = [ContentWork.Unsized, ContentWork.Sized];

    private int _cuts;
    private int _kills;
    private int _lookComplete;
    private int _wrong;
    private int _hung;
    private int _whole;
    private int _missing;

    /// <summary>Contents that were cut.</summary>
    public int Cuts => _cuts;

    /// <summary>Of them by a kill of the worker.</summary>
    public int Killed => _kills;

    /// <summary>Contents that were cut and ended as whole ones do.</summary>
    public int LookComplete => _lookComplete;

    /// <summary>Contents with bytes that were not theirs.</summary>
    public int Wrong => _wrong;

    /// <summary>Responses of which nothing came, and which did not end, for long.</summary>
    public int Hung => _hung;

    /// <summary>Contents that were not cut.</summary>
    public int Whole => _whole;

    /// <summary>Of them those that did not arrive.</summary>
    public int Missing => _missing;

    /// <summary>Reads so many, of which every so manieth is cut by a kill.</summary>
    public Task RunAsync(int count, int killEvery, CancellationToken cancellation) => Task.WhenAll(Enumerable.Range(0, AtOnce).Select(reader => Task.Factory.StartNew(
        () =>
        {
            for (var number = reader; number < count; number += AtOnce)
            {
                cancellation.ThrowIfCancellationRequested();
                Read(number, killEvery);
            }
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default)));

    private void Read(int number, int killEvery)
    {
        var random = new Random((int)((number * 2_654_435_761) ^ seed));
        var isKill = number % killEvery == killEvery / 2;
        var isWhole = !isKill && number % WholeEvery == 0;
        var how = isKill || isWhole ? Unfailing[random.Next(Unfailing.Length)] : Failures[random.Next(Failures.Length)];

        // Each of another length: the same call again and again would be quarantined for killing its workers.
        var length = isKill ? KilledBytes + number : random.Next(1, MostBytes);
        var until = isKill || isWhole ? length : random.NextInt64(length);
        var killAt = isKill ? random.Next(1, MostBeforeKill) : long.MaxValue;
        var (position, isRight, last) = (0L, true, Clock.Now);
        using var stream = RawStream.Get(port, string.Create(CultureInfo.InvariantCulture, $"/{service}/Make?length={length}&until={until}&how={Uri.EscapeDataString(how)}"), Patience);
        stream.Read(
            (bytes, now) =>
            {
                last = now;
                isRight = isRight && (stream.Status != 200 || GeneratedContent.Matches(position, bytes));
                position += bytes.Length;
            },
            () =>
            {
                if (position >= killAt && stream.Status == 200)
                {
                    killAt = long.MaxValue;
                    WorkerKiller.Kill(int.Parse(stream.Header(FilesInWorker.WorkerHeader) ?? throw new InvalidDataException("The response does not name its worker."), CultureInfo.InvariantCulture));
                    Interlocked.Increment(ref _kills);
                }

                return false;
            });

        Count(ref _hung, !stream.IsComplete && Clock.SecondsSince(last) >= Patience.TotalSeconds);
        Count(ref _wrong, !isRight);
        if (isWhole)
        {
            Interlocked.Increment(ref _whole);
            Count(ref _missing, !stream.IsComplete || stream.Status != 200 || position != length);
            return;
        }

        Interlocked.Increment(ref _cuts);
        Count(ref _lookComplete, stream.IsComplete && stream.Status == 200);
    }

    private static void Count(ref int count, bool isSo)
    {
        if (isSo)
            Interlocked.Increment(ref count);
    }
}
