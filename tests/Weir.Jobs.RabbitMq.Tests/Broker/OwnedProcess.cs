using System.Diagnostics;
using System.Text;

namespace Weir.Jobs.RabbitMq.Tests.Broker;

/// <summary>A process that was asked to end with its parent: the kernel means the thread that started it, so that thread is kept.</summary>
internal sealed class OwnedProcess : IDisposable
{
    // Characters: the first of what it says is enough to see why it did not start.
    private const int MostSaid = 8_000;

    private readonly ManualResetEventSlim _end = new();
    private readonly StringBuilder _said = new();
    private readonly Process _process = new();
    private readonly Thread _owner;

    public OwnedProcess(ProcessStartInfo start)
    {
        var started = new TaskCompletionSource();
        _process.StartInfo = start;
        _process.OutputDataReceived += Hear;
        _process.ErrorDataReceived += Hear;
        _owner = new Thread(() =>
        {
            try
            {
                _process.Start();
                started.SetResult();
            }
            catch (Exception failure)
            {
                started.SetException(failure);
                return;
            }

            _end.Wait();
        })
        { IsBackground = true, Name = "owner of a process" };
        _owner.Start();
        started.Task.GetAwaiter().GetResult();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    public bool HasExited => _process.HasExited;

    public string Said
    {
        get
        {
            lock (_said)
            {
                return _said.ToString();
            }
        }
    }

    public void Kill() => _process.Kill();

    // Not until its pipes are closed: what it has started has them, too.
    public async Task ExitAsync()
    {
        while (!_process.HasExited)
        {
            await Task.Delay(10);
        }
    }

    public void Dispose()
    {
        _end.Set();
        _owner.Join();
        _end.Dispose();
        _process.Dispose();
    }

    private void Hear(object sender, DataReceivedEventArgs line)
    {
        lock (_said)
        {
            if (line.Data is not null && _said.Length < MostSaid)
            {
                _said.AppendLine(line.Data);
            }
        }
    }
}
