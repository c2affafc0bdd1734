using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Load;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What a server still holds when the senders of large uploads have left, each before its body had ended.</summary>
internal static class UploadMemory
{
    private const string Weir = "weir";
    private const string Quotient = "after ÷ before";
    private const string Path = "/uploads/size";
    private const int Megabytes = 50;
    private const double Most = 1.5;

    private static readonly (string Name, string Program)[] Ways = [("plain", "mvc"), ("minimal", "minimal"), (Weir, "weir")];

    public static IEnumerable<Case> Cases(Scale scale)
    {
        // Of a process of its own for each round: what the first leaves would be the base of the second.
        yield return new Case(
            CaseName(scale),
            [.. Ways.Select(way => FreshContender.Of(way.Name, ProgramLaunch.OfLab(way.Program, "bodyLimit=104857600"), (process, cancellation) => UploadAsync(process, scale, cancellation)))])
        {
            Rounds = scale.Pick(1, 1, 3),

            // Memory is all that is measured: in a quick run they may run at the same time.
            AtOnce = scale == Scale.Quick,
            WarmUp = false,
            Patience = TimeSpan.FromMinutes(5),
        };
    }

    public static IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        yield return Promise.Count(
            string.Create(CultureInfo.InvariantCulture, $"{CaseName(scale)}: the idle server holds at most {Most} × what it held before"),
            measured[Weir, CaseName(scale), Quotient], Relation.AtMost, Most);
        yield return Promise.Count($"{CaseName(scale)}: another one is answered", measured[Weir, CaseName(scale), "answered"], Relation.Exactly, 1);
    }

    private static string CaseName(Scale scale) => string.Create(CultureInfo.InvariantCulture, $"{Uploads(scale):N0} aborted uploads of {Megabytes} MB");

    private static int Uploads(Scale scale) => scale.Pick(4, 10, 1_000);

    private static async Task<Round> UploadAsync(ContenderProcess process, Scale scale, CancellationToken cancellation)
    {
        // What the code of an upload needs is there before, what its bytes need is not.
        await AnswerAsync(process, 1_000, cancellation);
        var before = await RestAsync(process, scale, cancellation);
        await new AbortedUploads(Served.EndPoint(process), Path, Megabytes << 20).RunAsync(Uploads(scale), cancellation);
        var after = await RestAsync(process, scale, cancellation);
        return new Round()
            .Add("before", before / 1e6, "MB")
            .Add("after", after / 1e6, "MB")
            .Add(Quotient, after / before, "")
            .Add("answered", await AnswerAsync(process, 100_000, cancellation) ? 1 : 0, "");
    }

    private static async Task<bool> AnswerAsync(ContenderProcess process, int bytes, CancellationToken cancellation)
    {
        using var client = new HttpClient();
        using var body = new ByteArrayContent(new byte[bytes]);
        body.Headers.ContentType = new("application/octet-stream");
        using var response = await client.PostAsync(Served.Address(process, Path), body, cancellation);
        return await response.Content.ReadAsStringAsync(cancellation) == bytes.ToString(CultureInfo.InvariantCulture);
    }

    // Resident memory once it does not change any more, as far as that is seen within some seconds.
    private static async Task<double> RestAsync(ContenderProcess process, Scale scale, CancellationToken cancellation)
    {
        var began = Clock.Now;
        var resident = process.Meter.Resident;
        for (var same = 0; same < 4 && Clock.SecondsSince(began) < scale.Pick(0.5, 3, 20);)
        {
            await Task.Delay(scale.Pick(250, 150, 250), cancellation);
            var now = process.Meter.Resident;
            same = Math.Abs(now - resident) < now / 100 ? same + 1 : 0;
            resident = now;
        }

        return resident;
    }
}
