using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>What one request needs to be read and answered; pooled by the door. Not for concurrent use.</summary>
internal sealed class CallBuffers
{
    // Larger ones go back to the array pool after each request, so that one large request costs no memory for ever.
    private const int LargestKept = 32 * 1024;

    private char[] _form = [];

    /// <summary>Whether the operation reads the body while it runs.</summary>
    internal bool IsBodyLent { get; private set; }

    /// <summary>Whether an operation that ended badly may still read the body: then it is left to the collector.</summary>
    internal bool IsAbandoned { get; private set; }

    /// <summary>The arguments.</summary>
    internal HttpArgumentReader Arguments { get; } = new();

    /// <summary>The request's body.</summary>
    internal PayloadWriter Body { get; } = new();

    /// <summary>The response's body.</summary>
    internal PayloadWriter Output { get; } = new();

    /// <summary>The request's services, for a call that may need none.</summary>
    internal RequestServices Services { get; private set; } = new();

    /// <summary>Room for a form's text.</summary>
    internal Span<char> ReserveForm(int length)
    {
        ReturnForm();
        _form = BoundedArrayPool.Rent<char>(length);
        return _form;
    }

    /// <summary>The form's text.</summary>
    internal ReadOnlyMemory<char> Form(int length) => _form.AsMemory(0, length);

    /// <summary>The body, for the operation to read until it has ended.</summary>
    internal ReadOnlyMemory<byte> LendBody()
    {
        IsBodyLent = true;
        return Body.WrittenMemory;
    }

    /// <summary>Says that the call ended in a way that does not prove that its code has ended.</summary>
    internal void Abandon() => IsAbandoned = IsBodyLent;

    /// <summary>Lets go of the request.</summary>
    internal void Clear()
    {
        Arguments.Clear();
        Clear(Body);
        Clear(Output);
        ReturnForm();
        IsBodyLent = false;
        if (Services.WasSeen)
        {
            // Whoever kept it keeps this request's services and never another's.
            Services = new RequestServices();
        }
        else
        {
            Services.Detach();
        }
    }

    private static void Clear(PayloadWriter writer)
    {
        if (writer.Length > LargestKept)
        {
            writer.Dispose();
        }
        else
        {
            writer.Clear();
        }
    }

    private void ReturnForm()
    {
        if (_form.Length > 0)
        {
            BoundedArrayPool.Return(_form);
            _form = [];
        }
    }
}
