using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>One file descriptor of the host; the number is closed when its last user has released it.</summary>
internal sealed class Descriptor : SafeHandle
{
    public Descriptor(int number)
        : base(-1, ownsHandle: true) => SetHandle(number);

    public override bool IsInvalid => handle == -1;

    /// <summary>The number; only between <see cref="Use"/> and the end of its scope, or by the one owner that closes it.</summary>
    public int Number => (int)handle;

    /// <summary>Keeps the number from being closed, and so from being given to another file, while the scope lives.</summary>
    /// <exception cref="ObjectDisposedException">It is closed already.</exception>
    public Scope Use() => new(this);

    protected override bool ReleaseHandle() => DescriptorCalls.Close((int)handle) == 0;

    internal readonly ref struct Scope
    {
        private readonly Descriptor _descriptor;

        public Scope(Descriptor descriptor)
        {
            var added = false;
            descriptor.DangerousAddRef(ref added);
            _descriptor = descriptor;
        }

        public void Dispose() => _descriptor.DangerousRelease();
    }
}
