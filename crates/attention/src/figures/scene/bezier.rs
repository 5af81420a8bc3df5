//! Points of Bézier curves.

/// The point at parameter `t` of the curve, by de Casteljau's algorithm.
pub(super) fn point(controls: &[(f32, f32)], t: f32) -> (f32, f32) {
    let mut points = controls.to_vec();
    while points.len() > 1 {
        let between = |pair: &[(f32, f32)]| {
            let [(ax, ay), (bx, by)] = [pair[0], pair[1]];
            (ax + (bx - ax) * t, ay + (by - ay) * t)
        };
        points = points.windows(2).map(between).collect();
    }
    points[0]
}
