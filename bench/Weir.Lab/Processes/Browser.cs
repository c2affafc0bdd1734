using System.Diagnostics;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>Lets a real browser fetch a path of a contender, and asks the contender what the page reported.</summary>
internal static class Browser
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static async Task<Round> FetchAsync(ContenderProcess process, string path, CancellationToken cancellation)
    {
        var profile = Directory.CreateTempSubdirectory("weir-lab-browser-");
        var address = Served.Address(process, $"/lab/page#{Uri.EscapeDataString(path)}");
        using var browser = Process.Start(new ProcessStartInfo("chromium",
        [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run", "--disable-background-networking",
            $"--user-data-dir={profile.FullName}", address.AbsoluteUri,
        ])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        try
        {
            browser.OutputDataReceived += static (_, _) => { };
            browser.ErrorDataReceived += static (_, _) => { };
            browser.BeginOutputReadLine();
            browser.BeginErrorReadLine();
            var seen = await process.AskAsync(new ControlLine("browser"), cancellation).WaitAsync(Patience, cancellation);
            return new Round().Add("TTFB", seen.Number("ttfb"), "ms").Add("total", seen.Number("total"), "ms");
        }
        finally
        {
            browser.Kill(entireProcessTree: true);
            await browser.WaitForExitAsync(CancellationToken.None);
            profile.Delete(recursive: true);
        }
    }
}
