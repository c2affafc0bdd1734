using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Lab.Reporting;

/// <summary>Reads and writes runs as JSON.</summary>
internal static class ReportFile
{
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        IgnoreReadOnlyProperties = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static string Text(RunReport report) => JsonSerializer.Serialize(report, Options);

    public static RunReport Parse(string text)
    {
        var report = JsonSerializer.Deserialize<RunReport>(text, Options) ?? throw new InvalidDataException("The file holds no run.");
        return report.Schema == 1
            ? report
            : throw new InvalidDataException($"The file has version {report.Schema}; this lab reads version 1.");
    }

    public static RunReport Read(string path) => Parse(File.ReadAllText(path));

    /// <summary>Writes beside the file first, so that an interrupted run leaves the last whole one.</summary>
    public static void Write(string path, string text)
    {
        var full = Path.GetFullPath(path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full + ".part", text);
        File.Move(full + ".part", full, overwrite: true);
    }
}
