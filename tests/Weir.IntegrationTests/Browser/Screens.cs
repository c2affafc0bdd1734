using Microsoft.Playwright;
using Weir.IntegrationTests.Packaging;

namespace Weir.IntegrationTests.Browser;

/// <summary>Pictures for people, in <c>artifacts/screens</c>: no test compares them. Taken where the variable <c>WEIR_SCREENS</c> is set.</summary>
internal static class Screens
{
    /// <summary>Whether they are taken.</summary>
    public static bool AreTaken => Environment.GetEnvironmentVariable("WEIR_SCREENS") is { Length: > 0 };

    /// <summary>Takes one.</summary>
    /// <param name="page">What it shows.</param>
    /// <param name="name">Its name, without an extension.</param>
    /// <param name="isWhole">The whole page instead of what fits in the window.</param>
    /// <returns>Its path.</returns>
    public static async Task<string> TakeAsync(IPage page, string name, bool isWhole = false)
    {
        var path = Path.Combine(RepositoryRoot.Path, "artifacts", "screens", $"{name}.png");
        if (AreTaken)
        {
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            await page.ScreenshotAsync(new() { Path = path, FullPage = isWhole });
        }

        return path;
    }
}
