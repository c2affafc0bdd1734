using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;
using static Weir.Lab.Experiments.JobContenders;

namespace Weir.Lab.Experiments;

/// <summary>A reader of many items is cut at random places, and the host that makes them is killed again and again: which items are missed, and which come twice?</summary>
internal static class JobReaderCuts
{
    private const string Operation = "/ItemWorks/Numbers";
    private const string Cuts = "cuts";
    private const string Kills = "kills of the host";
    private const string KillsWhileMade = "of them while items were made";

    // The same places in every run.
    private const int Seed = 20260101;

    // With the fifth loss of its process a job has failed: a stream meets fewer kills than that, and there are more streams.
    private const int KillsOfStream = 3;

    private static readonly string[] Settings = ["http=yes", "min=0"];

    public static string Name(Scale scale) => FormattableString.Invariant($"{Items(scale):N0} items, cut {MeantCuts(scale):N0} times, and the host is killed");

    public static Case Case(Scale scale)
    {
        FreshContender contender = null!;
        contender = new FreshContender(Sqlite, async cancellation =>
        {
            await using var reading = new Reading(scale);
            var round = await reading.RunAsync(cancellation);
            contender.RunsOn = reading.Runtime;
            return round;
        });
        return new Case(Name(scale), [contender])
        {
            Rounds = 1,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(15),
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var name = Name(scale);
        yield return Promise.Count("the reader of many items is cut", measured[Sqlite, name, Cuts], Relation.AtLeast, MeantCuts(scale) * 0.8);
        yield return Promise.Count("the host of the stream is killed", measured[Sqlite, name, Kills], Relation.AtLeast, MeantKills(scale));

        // A kill that comes when all is made meets the reader only.
        yield return Promise.Count("the host is killed while it makes items", measured[Sqlite, name, KillsWhileMade], Relation.AtLeast, MeantKills(scale) / 2);
        yield return Promise.Count("many items: every one is received", measured[Sqlite, name, "items"], Relation.Exactly, Items(scale));
        yield return Promise.Count("many items: none is missed", measured[Sqlite, name, "gaps"], Relation.Exactly, 0);
        yield return Promise.Count("many items: none comes twice", measured[Sqlite, name, "repeats"], Relation.Exactly, 0);
    }

    private static int Items(Scale scale) => scale.Pick(1_000, 10_000, 1_000_000);

    private static int MeantCuts(Scale scale) => scale.Pick(5, 50, 1_000);

    private static int Streams(Scale scale) => scale.Pick(1, 1, 4);

    private static int MeantKills(Scale scale) => scale.Pick(1, 2, Streams(scale) * KillsOfStream);

    // One reader, and its host from one kill to the next.
    private sealed class Reading(Scale scale) : IAsyncDisposable
    {
        private readonly Random _random = new(Seed);
        private readonly SharedDirectory _directory = new();
        private readonly HttpClient _client = ServedJobs.NewClient();
        private ContenderProcess? _process;
        private int _kills;
        private int _killsWhileMade;

        // Set by the reader's flow, which starts the next one.
        private bool _isKilled;

        public string? Runtime => _process?.Runtime;

        private ContenderProcess Process => _process ?? throw new InvalidOperationException("The host was not started.");

        private ServedJobs Jobs => new(_client, Process);

        public async Task<Round> RunAsync(CancellationToken cancellation)
        {
            await StartAsync(cancellation);
            var (began, items, gaps, repeats, cuts) = (Clock.Now, 0L, 0L, 0L, 0);
            for (var stream = 0; stream < Streams(scale); stream++)
            {
                var reader = await ReadAsync(Items(scale) / Streams(scale), MeantKills(scale) / Streams(scale), cancellation);
                (items, gaps, repeats, cuts) = (items + reader.Items, gaps + reader.Gaps, repeats + reader.Repeats, cuts + reader.Cuts);
            }

            return new Round()
                .Add("items", items, "")
                .Add("gaps", gaps, "")
                .Add("repeats", repeats, "")
                .Add(Cuts, cuts, "")
                .Add(Kills, _kills, "")
                .Add(KillsWhileMade, _killsWhileMade, "")
                .Add("time", Clock.SecondsSince(began), "s");
        }

        public async ValueTask DisposeAsync()
        {
            _client.Dispose();
            if (_process is not null)
                await _process.DisposeAsync();
            await _directory.DisposeAsync();
        }

        // One stream, from its first item to its end.
        private async Task<CutReader> ReadAsync(int count, int kills, CancellationToken cancellation)
        {
            var job = await Jobs.SubmitAsync(Operation, FormattableString.Invariant($$"""{"count":{{count}}}"""), cancellation);
            var reader = new CutReader(_client, static item => long.Parse(item, NumberStyles.None, CultureInfo.InvariantCulture));
            var killAt = new Queue<long>(Enumerable.Range(0, kills).Select(_ => (long)_random.Next(count)).Order());
            while (!reader.IsComplete)
            {
                var left = _random.Next(1, 2 * Items(scale) / MeantCuts(scale));
                try
                {
                    await reader.ReadAsync(Jobs.ItemsOf(job), Take, cancellation);
                }
                catch (Exception gone) when (_isKilled && gone is (IOException or HttpRequestException))
                {
                    // What was made since the last item that was read is stored, or is made again.
                }

                if (_isKilled)
                    await ContinueAsync(cancellation);

                bool Take(string item)
                {
                    if (killAt.TryPeek(out var at) && reader.Next > at)
                    {
                        killAt.Dequeue();
                        Kill();
                    }

                    return --left == 0;
                }
            }

            // Its code has begun again after each kill that it was met by.
            var (ended, _) = await Jobs.GetAsync(job, 0, cancellation);
            _killsWhileMade += ended.GetProperty("attempt").GetInt32() - 1;
            return reader;
        }

        // The reader continues with what has been sent.
        private void Kill()
        {
            _kills++;
            _isKilled = true;
            Process.Kill();
        }

        private async Task ContinueAsync(CancellationToken cancellation)
        {
            _isKilled = false;
            await Process.DisposeAsync();
            await StartAsync(cancellation);
        }

        private async Task StartAsync(CancellationToken cancellation) =>
            _process = await ContenderProcess.StartAsync(Launch(Sqlite, [.. Settings, $"directory={_directory.Folder("store")}"]), cancellation);
    }
}
