using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;

namespace Weir.Lab.Isolation;

/// <summary>
/// What a handler writes down of itself in a chaos run: that it began, and that it ended. The lab reads these files and
/// not the records of a contender. One file per process, appended without a buffer, so that a kill loses nothing that was written.
/// </summary>
public static class Witness
{
    /// <summary>The environment variable with the folder that workers write to.</summary>
    public const string FolderVariable = "WEIR_LAB_WITNESS";

    /// <summary>The file in that folder that the lab creates when enough workers were killed.</summary>
    public const string Enough = "enough";

    private static readonly object Lock = new object();
    private static string? _folder;
    private static FileStream? _file;

    public static void Began(string folder, long number) => Write(folder, "b ", number);

    public static void Ended(string folder, long number) => Write(folder, "e ", number);

    /// <summary>Appends a line to the file of this process.</summary>
    public static void Append(string folder, string text)
    {
        var line = Encoding.ASCII.GetBytes(text + "\n");
        lock (Lock)
        {
            if (_folder != folder)
            {
                _file?.Dispose();
                var path = Path.Combine(folder, "worker-" + Process.GetCurrentProcess().Id.ToString(CultureInfo.InvariantCulture));
                _file = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, 1);
                _folder = folder;
            }

            _file!.Write(line, 0, line.Length);
            _file.Flush();
        }
    }

    private static void Write(string folder, string what, long number) => Append(folder, what + number.ToString(CultureInfo.InvariantCulture));
}
