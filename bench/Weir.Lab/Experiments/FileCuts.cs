using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Content is cut at random bytes, on its way to a worker and on its way back: does any of it look complete where it is read?</summary>
internal static class FileCuts
{
    public const string LookComplete = "look complete";
    public const string Cuts = "cuts";
    public const string Begun = "of them begun";
    public const string Kills = "of them by a kill";
    public const string Accepted = "answered with success";
    public const string Hung = "hung";
    public const string Wrong = "with wrong bytes";
    public const string Missing = "whole ones missing";

    private const string Service = "FilesInWorker";
    private const string Weir = FileTransfers.Isolated;

    // The same places in every run.
    private const int Seed = 20260101;

    // Kills are slower than other cuts: a worker starts after each.
    private const int KillEvery = 9;

    private static readonly TimeSpan EndPatience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    /// <summary>The host, with a worker for each reader.</summary>
    public static ProgramLaunch Launch { get; } = ProgramLaunch.OfLab("weir", $"pool={FilesInWorker.Pool}", "workers=2");

    public static string Uploads(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} uploads, cut");

    public static string Downloads(Scale scale) => FormattableString.Invariant($"{Count(scale):N0} downloads, cut");

    public static IEnumerable<Case> Cases(Scale scale, SharedProcesses shared)
    {
        yield return Case(Uploads(scale), shared, (process, cancellation) => UploadAsync(process, Count(scale), cancellation));
        yield return Case(Downloads(scale), shared, (process, cancellation) => DownloadAsync(process, Count(scale), cancellation));
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        var (up, down) = (Uploads(scale), Downloads(scale));
        yield return Promise.Count($"{up}: none looks complete to the operation", measured[Weir, up, LookComplete], Relation.Exactly, 0);
        yield return Promise.Count($"{up}: none is answered with success", measured[Weir, up, Accepted], Relation.Exactly, 0);
        yield return Promise.Count($"{down}: none looks complete to the client", measured[Weir, down, LookComplete], Relation.Exactly, 0);
        yield return Promise.Count($"{down}: no content has wrong bytes", measured[Weir, down, Wrong], Relation.Exactly, 0);

        // Cuts that no operation meets, or a server that completes nothing, would prove nothing.
        yield return Promise.Count($"{up}: most of them while the operation reads", measured[Weir, up, Begun], Relation.AtLeast, Count(scale) / 2.0);
        yield return Promise.Count($"{down}: some by a kill of the worker", measured[Weir, down, Kills], Relation.AtLeast, Count(scale) / (2.0 * KillEvery));
        foreach (var name in new[] { up, down })
        {
            yield return Promise.Count($"{name}: the whole ones among them arrive", measured[Weir, name, Missing], Relation.Exactly, 0);
            yield return Promise.Count($"{name}: none hangs", measured[Weir, name, Hung], Relation.Exactly, 0);
        }
    }

    private static int Count(Scale scale) => scale.Pick(40, 200, 10_000);

    private static Case Case(string name, SharedProcesses shared, Func<ContenderProcess, CancellationToken, Task<Round>> measure) =>
        new(name, [new HostedContender(Weir, Launch) { Shared = shared, Drive = measure }])
        {
            Shared = shared,
            Rounds = 1,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(15),
        };

    private static async Task<Round> UploadAsync(ContenderProcess process, int count, CancellationToken cancellation)
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-uploads-");
        try
        {
            var began = Clock.Now;
            var uploads = new CutUploads(Served.EndPoint(process), Service, folder.FullName, Seed);
            await uploads.RunAsync(count, cancellation);

            var seconds = Clock.SecondsSince(began);
            var marks = await WhenLeftAsync(folder.FullName, cancellation);
            var found = uploads.Compare(marks, count);
            return new Round()
                .Add(Cuts, found.Cut, "")
                .Add(Begun, found.Begun, "")
                .Add(LookComplete, found.LookComplete, "")
                .Add(Accepted, uploads.Accepted, "")
                .Add(Hung, uploads.Hung + marks.Running, "")
                .Add("whole ones", found.Whole, "")
                .Add(Missing, found.Missing + uploads.Refused, "")
                .Add("time", seconds, "s");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<Round> DownloadAsync(ContenderProcess process, int count, CancellationToken cancellation)
    {
        var began = Clock.Now;
        var downloads = new CutDownloads(process.Ready.Int("port"), Service, Seed);
        await downloads.RunAsync(count, KillEvery, cancellation);
        return new Round()
            .Add(Cuts, downloads.Cuts, "")
            .Add(Kills, downloads.Killed, "")
            .Add(LookComplete, downloads.LookComplete, "")
            .Add(Wrong, downloads.Wrong, "")
            .Add(Hung, downloads.Hung, "")
            .Add("whole ones", downloads.Whole, "")
            .Add(Missing, downloads.Missing, "")
            .Add("time", Clock.SecondsSince(began), "s");
    }

    // An operation whose caller has left may still read what came before.
    private static async Task<UploadMarks> WhenLeftAsync(string folder, CancellationToken cancellation)
    {
        var began = Clock.Now;
        while (true)
        {
            var marks = UploadMarks.Read(folder);
            if (marks.Running == 0 || Clock.SecondsSince(began) > EndPatience.TotalSeconds)
                return marks;

            await Task.Delay(Look, cancellation);
        }
    }
}
