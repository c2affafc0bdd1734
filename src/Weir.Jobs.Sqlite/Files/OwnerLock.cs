using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Files;

/// <summary>
/// That one process owns the file of jobs: a lock on a file beside it, which the system releases with the process. The file says who has it, and is never deleted: a second one would be another
/// lock.
/// </summary>
internal sealed class OwnerLock : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(100);
    private readonly SafeFileHandle _file;

    private OwnerLock(SafeFileHandle file) => _file = file;

    /// <summary>Takes the lock.</summary>
    /// <param name="path">Of the file of jobs.</param>
    /// <param name="wait">How long another process may still have it.</param>
    /// <param name="time">Measures that.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="InvalidOperationException">Another process has it (WEIR3026), or it cannot be locked (WEIR3027).</exception>
    public static async ValueTask<OwnerLock> AcquireAsync(string path, TimeSpan wait, TimeProvider time, CancellationToken cancellationToken)
    {
        var lockPath = path + "-owner";
        for (var began = time.GetTimestamp(); ;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (TryAcquire(lockPath, out var owner) is { } file)
            {
                Write(file, time.GetUtcNow());
                return new OwnerLock(file);
            }

            if (time.GetElapsedTime(began) >= wait)
            {
                throw new InvalidOperationException(
                    $"{WeirCodes.JobStoreOwned}: the jobs in '{path}' belong to the process {owner}. One process owns such a file: stop that one, or give this one a file of its own.");
            }

            await Task.Delay(Pause, time, cancellationToken);
        }
    }

    public void Dispose()
    {
        try
        {
            // What it says is about an owner.
            RandomAccess.SetLength(_file, 0);
        }
        catch (IOException)
        {
            // The lock counts, and not what is written.
        }
        finally
        {
            _file.Dispose();
        }
    }

    private static SafeFileHandle? TryAcquire(string path, out string owner)
    {
        owner = "";
        try
        {
            return OperatingSystem.IsWindows() ? TryOpenAlone(path, out owner) : TryLock(path, out owner);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Unusable(path, error.Message, error);
        }
    }

    private static SafeFileHandle? TryLock(string path, out string owner)
    {
        owner = "";
        if (!File.Exists(path))
        {
            Create(path);
        }

        var descriptor = LibC.Open(path, LibC.ReadWrite | LibC.CloseOnExec);
        if (descriptor < 0)
        {
            throw Unusable(path, Marshal.GetLastPInvokeErrorMessage(), null);
        }

        var file = new SafeFileHandle(descriptor, ownsHandle: true);
        if (LibC.Lock(file, LibC.LockExclusive | LibC.LockNoWait) == 0)
        {
            return file;
        }

        var (error, message) = (Marshal.GetLastPInvokeError(), Marshal.GetLastPInvokeErrorMessage());
        owner = Read(file);
        file.Dispose();
        return error == LibC.WouldBlock ? null : throw Unusable(path, message, null);
    }

    // The one that is created at the same moment may be locked already.
    private static void Create(string path)
    {
        try
        {
            File.OpenHandle(path, FileMode.CreateNew, FileAccess.Write, FileShare.ReadWrite).Dispose();
        }
        catch (IOException) when (File.Exists(path))
        {
        }
    }

    // Others may read who has it, and nothing else.
    private static SafeFileHandle? TryOpenAlone(string path, out string owner)
    {
        owner = "";
        try
        {
            return File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.Read);
        }
        catch (IOException) when (File.Exists(path))
        {
            using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            owner = Read(file);
            return null;
        }
    }

    private static void Write(SafeFileHandle file, DateTimeOffset now)
    {
        var text = string.Create(CultureInfo.InvariantCulture, $"{Environment.ProcessId} {Environment.MachineName} {now.UtcDateTime:O}\n");
        RandomAccess.SetLength(file, 0);
        RandomAccess.Write(file, Encoding.UTF8.GetBytes(text), 0);
    }

    // "pid host start", as a sentence needs it.
    private static string Read(SafeFileHandle file)
    {
        Span<byte> bytes = stackalloc byte[512];
        var words = Encoding.UTF8.GetString(bytes[..RandomAccess.Read(file, bytes, 0)]).TrimEnd().Split(' ');
        return words.Length == 3 ? $"{words[0]} on {words[1]}, started {words[2]}" : "that has just started";
    }

    private static InvalidOperationException Unusable(string path, string reason, Exception? inner) =>
        new($"{WeirCodes.JobStoreUnusable}: '{path}' cannot be locked: {reason} Jobs need a local directory that this process may write.", inner);
}
