using System.Globalization;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Measuring;

/// <summary>The outcome of every job of a chaos run: what submitters were answered, compared with what the jobs wrote and with what the store has in the end.</summary>
internal sealed class JobOutcomes
{
    private const string Succeeded = "Succeeded";

    private static readonly string[] Ends = [Succeeded, "Failed", "Cancelled", "Expired", "Deleted"];

    /// <param name="submitters">"accepted NUMBER ID" and "ended NUMBER STATE STAMP".</param>
    /// <param name="marks">What jobs wrote.</param>
    /// <param name="final">"ID STATE", or "ID STATE(REASON)".</param>
    public JobOutcomes(IEnumerable<string[]> submitters, IEnumerable<JobMark> marks, IEnumerable<string> final)
    {
        var ids = new Dictionary<long, HashSet<string>>();
        var told = new Dictionary<long, List<(string State, long Stamp)>>();
        foreach (var words in submitters)
        {
            if (words is ["accepted", var accepted, var id] && Number(accepted) is { } number)
                (ids.TryGetValue(number, out var known) ? known : ids[number] = []).Add(id);
            else if (words is ["ended", var ended, var state, var at] && Number(ended) is { } job && Number(at) is { } stamp)
                (told.TryGetValue(job, out var ends) ? ends : told[job] = []).Add((state, stamp));
        }

        var states = final.Select(static line => line.Split(' ')).Where(static words => words.Length == 2).ToLookup(static words => words[0], static words => words[1]);
        var ran = marks.ToLookup(static mark => mark.Number);
        Accepted = ids.Count;
        foreach (var (number, known) in ids)
        {
            string[] ends = [.. known.SelectMany(id => states[id])];
            JobMark[] starts = [.. ran[number].Where(static mark => mark.IsStart)];
            var isDone = ran[number].Any(static mark => !mark.IsStart);
            StartedAgain += starts.Length > 1 ? 1 : 0;
            Doubled += known.Count > 1 || ends.Length > 1
                || (starts.Length > 1 && !ChaosJobs.IsRepeatable(number))
                || told.GetValueOrDefault(number, []).Exists(end => !ends.Contains(end.State) || starts.Any(start => start.Stamp > end.Stamp)) ? 1 : 0;
            Lost += ends.Length == 0 || (ends.Contains(Succeeded) && !isDone) ? 1 : 0;
            foreach (var end in ends.Take(1))
            {
                var (state, reason) = end.Split('(', ')') is [var name, var why, ..] ? (name, why) : (end, "");
                if (!Ends.Contains(state))
                    Hung++;
                else if (state == Succeeded)
                    Ok++;
                else if (reason == "Crashed")
                    FailedCrashed++;
                else if (reason == "Lost")
                    FailedLost++;
                else
                    FailedOtherwise++;
            }
        }

        // A store that has taken a submission twice has a job that no submitter knows.
        var all = ids.Values.SelectMany(static known => known).ToHashSet();
        Doubled += states.Count(job => !all.Contains(job.Key));
    }

    /// <summary>Jobs whose acceptance a submitter has written down.</summary>
    public int Accepted { get; }

    /// <summary>Ended as succeeded.</summary>
    public int Ok { get; }

    /// <summary>Accepted, and the store has no such job in the end; or succeeded as the store says, and the job's code has not written its end.</summary>
    public int Lost { get; }

    /// <summary>
    /// Stored twice for one submission; ended otherwise than a submitter saw, or started after that; or started twice without being declared repeatable.
    /// </summary>
    public int Doubled { get; }

    /// <summary>Neither ended nor about to: they waited or ran when the patience was over.</summary>
    public int Hung { get; }

    /// <summary>Started more than once, whether or not that was declared harmless.</summary>
    public int StartedAgain { get; }

    /// <summary>Failed because workers were killed.</summary>
    public int FailedCrashed { get; }

    /// <summary>Failed because the host was killed: it may or may not have run.</summary>
    public int FailedLost { get; }

    /// <summary>Failed for another reason, which no kill explains.</summary>
    public int FailedOtherwise { get; }

    /// <summary>Reads the folder of a run.</summary>
    public static JobOutcomes Read(string folder) => new(ChaosJobs.Journals(folder), JobMark.Read(folder), File.ReadLines(Path.Combine(folder, ChaosJobs.Final)));

    private static long? Number(string text) => long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : null;
}
