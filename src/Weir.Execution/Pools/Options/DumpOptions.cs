namespace Weir;

/// <summary>
/// Where the minidumps of workers that hang are kept, and how many: <see cref="PoolOptions.Dumps"/>. A minidump has the memory of the stacks of all threads, which may
/// contain secrets. It is written for the same kills as <see cref="CrashReport.Stack"/>, never for a worker that ended itself: only one that lives can be read.
/// </summary>
public sealed class DumpOptions
{
    /// <summary>
    /// The folder; it must exist, and the host must be able to write to it, or the pool does not start (WEIR3002). A relative path is relative to the working directory
    /// of the host. No default. Files in it that are named <c>weir-*.dmp</c> count, of all pools and hosts that use it; other files are never touched.
    /// </summary>
    public string Folder { get; set; } = "";

    /// <summary>The most dumps in the folder. Default 5; 1 to 10,000. With more, the oldest are deleted.</summary>
    public int MaxCount { get; set; } = 5;

    /// <summary>
    /// The most bytes of all dumps in the folder. Default 1 GB; 1 MB or more. With more, the oldest are deleted, also the one just written where it alone is larger.
    /// While a dump is written, the folder may have one more.
    /// </summary>
    public long MaxBytes { get; set; } = 1L << 30;

    internal bool IsLike(DumpOptions other) => (Folder, MaxCount, MaxBytes) == (other.Folder, other.MaxCount, other.MaxBytes);

    internal DumpOptions Copy() => new() { Folder = Folder, MaxCount = MaxCount, MaxBytes = MaxBytes };
}
