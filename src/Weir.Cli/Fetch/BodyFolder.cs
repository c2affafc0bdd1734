using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary>The folder that receives the bodies. A file with its final name is complete.</summary>
internal sealed class BodyFolder
{
    private readonly string _path;

    private BodyFolder(string path) => _path = path;

    /// <summary>Creates the folder if it is missing, and tries to write to it.</summary>
    /// <exception cref="InputException">It cannot be written to.</exception>
    public static BodyFolder Open(string name, string path)
    {
        try
        {
            Directory.CreateDirectory(path);
            using (new FileStream(Path.Combine(path, $".weir-{Guid.NewGuid():N}"), FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose))
            {
                return new BodyFolder(path);
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new InputException($"--output '{name}' is no folder that can be written to: {failure.Message}", failure);
        }
    }

    /// <summary>Writes one file with a function, under another name until it is complete.</summary>
    public async ValueTask WriteAsync(string name, Func<Stream, ValueTask> write)
    {
        var path = Path.Combine(_path, name);
        var unfinished = Path.Combine(_path, $".{name}.part");
        try
        {
            // One that an earlier run left, or a link that leads elsewhere: it is not written through.
            File.Delete(unfinished);
            await using (var file = new FileStream(unfinished, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0))
            {
                await write(file);
            }

            File.Move(unfinished, path, overwrite: true);
        }
        catch
        {
            File.Delete(unfinished);
            throw;
        }
    }
}
