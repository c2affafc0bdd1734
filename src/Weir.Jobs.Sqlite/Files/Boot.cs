namespace Weir.Jobs.Sqlite.Files;

/// <summary>Which start of the machine this is.</summary>
internal static class Boot
{
    private const string Path = "/proc/sys/kernel/random/boot_id";

    /// <summary>Differs after the machine was started again; empty where that cannot be told.</summary>
    public static string Id => File.Exists(Path) ? File.ReadAllText(Path).Trim() : "";
}
