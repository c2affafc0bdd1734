using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Reporting;

/// <summary>Which sources were measured.</summary>
internal static class Commit
{
    /// <summary>The commit's hash, with a plus when files differ from it; 'unknown' outside a repository.</summary>
    public static string Here()
    {
        var hash = Tool.FirstLine("git", "-C", BuiltPrograms.Repository, "rev-parse", "--short=12", "HEAD");
        if (hash is null)
            return "unknown";

        return string.IsNullOrEmpty(Tool.FirstLine("git", "-C", BuiltPrograms.Repository, "status", "--porcelain")) ? hash : hash + "+";
    }
}
